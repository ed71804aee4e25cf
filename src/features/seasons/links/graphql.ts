import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { GraphContext } from '../../../server/graphql/context.js';
import {
  type Connection,
  connection,
  connectionType,
  type PageArgs,
  pageFields,
  pageOf,
} from '../../../server/graphql/types/connection.js';
import { argumentsOf } from '../../../server/graphql/types/inputs.js';
import { nodeOf, objectType, registerEnum } from '../../../server/graphql/types/object-types.js';
import { agentReference, pageSize } from '../../../server/inputs.js';
import type { Node } from '../../../server/resources/field.js';
import { agentField } from '../../agents/graphql.js';
import { walletOf } from '../../agents/lookup.js';
import { type LinkRow, linksOfWallet, linkTotal } from './list.js';
import { linkSign, possibleLink, signKind } from './resource.js';

registerEnum(signKind);
objectType(linkSign);
const PossibleLink = objectType(possibleLink);
const PossibleLinkConnection = connectionType('PossibleLink', () => PossibleLink, 'possibly linked wallets');

agentField<LinkRow>(PossibleLink, ({ wallet }) => wallet, {
  description: 'Agent of the wallet. Null if it is not an agent of this service.',
});

type OfWallet = PageArgs & { readonly agent: string };
const LinkArgs = argumentsOf<OfWallet>(pageFields(pageSize).extend({ agent: agentReference() }));

@Resolver()
class LinkResolver {
  @Query(() => PossibleLinkConnection, {
    nullable: true,
    description:
      'Wallets that are possibly linked with a wallet, by address, and why. A link is no proof that both have one owner. A wallet address ' +
      'need not belong to an agent.',
  })
  async possibleLinks(
    @Args(() => LinkArgs) { agent, ...args }: OfWallet,
    @Ctx() { deps }: GraphContext,
  ): Promise<Connection<Node<LinkRow>>> {
    const wallet = await walletOf(deps, agent);
    const page = pageOf(args);
    return connection(await linksOfWallet(deps, wallet, page), page, nodeOf(PossibleLink), () => linkTotal(deps, wallet));
  }
}

export const resolvers = [LinkResolver];
