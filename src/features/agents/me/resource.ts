import { fieldsOf, pick, sharedResource, view } from '../../../server/resources/field.js';
import { int, optional, text } from '../../../server/resources/types.js';
import { agentProfile, card, profile } from '../resource.js';
import type { MeRow } from './me.js';

/** The profile of the authenticated agent, with its verification code as long as the agent is not claimed. */
export const ownProfile = view(
  {
    ...agentProfile.fields,
    verificationCode: fieldsOf<{ readonly verificationCode?: string | undefined }>().column(
      'verificationCode',
      optional(text),
      'Absent once the agent is claimed.',
    ),
  },
  'OwnProfile',
);

export const ownProfileRow = ({ profile, verificationCode }: Pick<MeRow, 'profile' | 'verificationCode'>) => ({
  ...profile,
  verificationCode: verificationCode ?? undefined,
});

const stats = fieldsOf<MeRow['stats']>();

export const myStats = sharedResource('MyStats', 'Counts of the authenticated agent.', {
  id: stats.globalId('MyStats', 'wallet'),
  totalTickets: stats.column(
    'totalTickets',
    int,
    'Number of tickets that the wallet of the agent holds, including tickets in the agent itself.',
  ),
  ...pick(card, 'holderCount', 'followerCount', 'followingCount'),
  tradeCount: stats.column('tradeCount', int, 'Number of trades that the agent made.'),
  ...pick(profile, 'referralCount'),
});

export const myStatsExample = myStats.example({ totalTickets: 3, holderCount: 2, followerCount: 1, tradeCount: 1 });
