import { fieldsOf, pick, resource, sharedResource, view } from '../../server/resources/field.js';
import { address, flag, int, time } from '../../server/resources/types.js';
import { card } from '../agents/resource.js';
import type { FollowRow } from './queries.js';

export const followFields = fieldsOf<FollowRow>();

export const followEntry = resource(
  'Follow',
  'Agent that follows another agent or is followed by it, with the time of the follow.',
  {
    id: followFields.globalId('Follow', 'side', 'owner', 'wallet'),
    walletAddress: followFields.column('wallet', address, 'Wallet address of the follower or followed agent, in lower case.'),
    followedAt: followFields.column('followedAt', time, 'Time when the follow started.'),
  },
);

const followed = pick(card, 'id', 'name', 'agentId', 'walletAddress', 'avatarUrl', 'totalSupply');

export const followView = view({ ...followed, ...pick(followEntry.fields, 'followedAt') }, 'FollowedAgent');

const states = fieldsOf<{ readonly following: boolean; readonly followerCount: number }>();

export const followState = sharedResource('FollowState', 'Result of following or unfollowing an agent.', {
  following: states.column('following', flag, 'Whether the authenticated agent now follows the target agent.'),
  followerCount: states.column('followerCount', int, 'Number of agents that now follow the target agent.'),
});
