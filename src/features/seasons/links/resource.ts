import { fieldsOf, object, restOnly, sharedResource } from '../../../server/resources/field.js';
import { address, enumeration, float, foreignText, list, nullable, oneOf } from '../../../server/resources/types.js';
import type { LinkRow, SignRow } from './list.js';
import { weightOfSign } from './rules.js';

export const signKind = enumeration('LinkSignKind', 'Kind of a sign that wallets may have one owner.', {
  FEE_DESTINATION: ['feeDestination', 'Fees of agents go to the same wallet.'],
  REGISTERED_TOGETHER: [
    'registeredTogether',
    'At least three agents with one referrer registered one after another, with at most 10 minutes between them.',
  ],
  HARDLY_TRADED: ['hardlyTraded', 'An agent that registered so has paid less than 0.001 ETH for tickets.'],
  SAME_BLOCKS: ['sameBlocks', 'Two wallets traded in the same block, at least three times, and in a quarter of the blocks of one.'],
  SAME_TRADES: ['sameTrades', 'At least 80 % of what two wallets traded agrees in market, day and side.'],
  EACH_OTHER: ['eachOther', 'More than 80 % of the volume of two agents is in the tickets of each other.'],
});

type Kept = Pick<SignRow, 'wallet' | 'kind' | 'about' | 'aboutName' | 'figure'>;

/** A sign in a sentence, whose subject is the wallet. */
function sentenceOf({ wallet, kind, about, aboutName, figure }: Kept): string {
  const other = aboutName ?? about;
  const isNamed = wallet === about;
  switch (kind) {
    case 'feeDestination':
      if (isNamed) return `It receives the fees of ${figure} linked ${figure === 1 ? 'wallet' : 'wallets'}.`;
      return figure > 1 ? `Its fees go to ${other}, like those of ${figure - 1} more.` : `Its fees go to ${other}.`;
    case 'registeredTogether':
      if (isNamed) return `It referred ${figure} linked wallets, which registered one soon after another.`;
      return `It registered within 10 minutes of another agent that ${other} referred.`;
    case 'hardlyTraded':
      return 'It has paid less than 0.001 ETH for tickets.';
    case 'sameBlocks':
      return `It and ${other} traded in the same block, ${figure} times.`;
    case 'sameTrades':
      return `${figure} % of what it and ${other} traded agrees in market, day and side.`;
    case 'eachOther':
      return `At least ${figure} % of its volume and of that of ${other} is in the tickets of each other.`;
  }
}

const signs = fieldsOf<SignRow>();
export const linkSign = sharedResource('LinkSign', 'Sign that a wallet may have the same owner as others.', {
  kind: signs.column('kind', oneOf(signKind), 'Kind of the sign.'),
  weight: signs.computed(['kind'], float, 'Weight of the sign, 1 or 0.5. A weight of 1 in all links two wallets.', ({ kind }) =>
    weightOfSign(kind),
  ),
  about: signs.column('about', address, 'The other wallet. The wallet itself if others have named it.'),
  text: signs.computed(['wallet', 'kind', 'about', 'aboutName', 'figure'], foreignText, 'The sign in a sentence.', sentenceOf),
});

const links = fieldsOf<LinkRow>();
export const possibleLink = sharedResource(
  'PossibleLink',
  'Wallet that is possibly linked with another. A link is no proof that both have one owner.',
  {
    id: links.globalId('PossibleLink', 'of', 'wallet'),
    walletAddress: links.column('wallet', address, 'Wallet address, in lower case.'),
    name: restOnly(links.column('name', nullable(foreignText), 'Name of its agent. Null if it is not an agent of this service.')),
    agentId: restOnly(
      links.column('agentId', nullable(foreignText), 'agentId of its agent. Null if it is not an agent of this service.'),
    ),
    signs: links.column('signs', list(object(linkSign)), 'Signs that led to the link, at most 10.'),
  },
);
