import { type LoaderSource, requireActor } from '../../server/graphql/context.js';
import { mutationOf } from '../../server/graphql/mutations.js';
import {
  connection,
  connectionType,
  loaders,
  PageArgs,
  type PageRequest,
  pageIn,
  rowsByArguments,
} from '../../server/graphql/types/connection.js';
import { nodeOf, objectType } from '../../server/graphql/types/object-types.js';
import { agentField, ofAgent } from '../agents/graphql.js';
import { toggleFollow } from './operations.js';
import { type FollowRow, type FollowSide, readFollows } from './queries.js';
import { followEntry, followState } from './resource.js';

const Follow = objectType(followEntry);
const FollowState = objectType(followState);
const FollowConnection = connectionType('Follow', () => Follow, 'follows of an agent');

const followLoaders = ({ deps }: LoaderSource) => ({
  follows: rowsByArguments((wallets, { side, ...page }: PageRequest & { readonly side: FollowSide }) =>
    readFollows(deps, wallets, { side, page }),
  ),
});

agentField<FollowRow>(Follow, ({ wallet }) => wallet, {
  description: 'The follower, or the followed agent.',
});

for (const [side, description] of [
  ['followers', 'Followers of the agent, latest follow first.'],
  ['following', 'Agents that the agent follows, latest follow first.'],
] as const) {
  ofAgent(side, { type: () => FollowConnection, args: PageArgs, description }, async (row, args, context, info) => {
    const page = pageIn(info, args);
    const rows = await loaders(context, followLoaders).follows.load(row.wallet, { ...page, side });
    const total = side === 'followers' ? row.followerCount : row.followingCount;
    return connection(rows, page, nodeOf(Follow), () => total);
  });
}

/** Row of the result of a mutation: the wallets of both agents, so that a client can read their changed counters. */
type Followed = { readonly followed: string; readonly follower: string };

agentField<Followed>(FollowState, ({ followed }) => followed, { description: 'The target agent.' });
agentField<Followed>(FollowState, ({ follower }) => follower, {
  name: 'follower',
  description: 'The authenticated agent.',
});

const followMutation = mutationOf(toggleFollow, {
  name: 'toggleFollow',
  type: () => FollowState,
  description: 'Follows or unfollows an agent.',
  answer: (context, state, { targetAddress: followed }) =>
    new FollowState({ ...state, followed, follower: requireActor(context).wallet }),
});

export const resolvers = [followMutation];
