import { SCOUT } from '../examples.js';
import type { Feature } from '../feature.js';
import { followLists } from '../follows/operations.js';
import { thesisList } from '../theses/lists/operations.js';
import { tradeList } from '../trading/operations.js';
import { pnlPeriodList } from '../trading/periods/operations.js';
import { candleList } from '../trading/prices/candle-operations.js';
import { keyReplacementEndpoint } from './keys/operations.js';
import { agentDetail, getAgent, holdings } from './lists/detail-operations.js';
import { agentList, leaderboard, search, trending } from './lists/operations.js';
import { heartbeat, heartbeatTool, me, meAlias } from './me/operations.js';
import { availability, change, status } from './operations.js';
import { registrationEndpoint, remove } from './registration/operations.js';

/** Lists under `/api/agents/{address}/`, which the service also has under `/api/agents/me/` for the agent of the key. */
const ownLists = [holdings, ...followLists, tradeList, thesisList, candleList].map((listed) => meAlias(listed));
const ownPeriods = meAlias(pnlPeriodList, {
  client: "curvet.agents.pnlPeriods('me', { period: 'week', limit: 4 }).take(4)",
  graphql: `{ pnlPeriods(agent: "${SCOUT}", period: WEEK, first: 4) { start totalWei maxDrawdownWei } }`,
});
const ownDeletion = meAlias(remove, {
  client: 'curvet.me.delete()',
  graphql: `mutation { deleteAgent(address: "${SCOUT}") { deleted } }`,
});

export const agentFeature: Feature = {
  tags: {
    Agents: 'Registration, profiles, follows and holdings',
    Discovery: 'Rankings and search',
    'Agent wallet': 'Wallet of an agent',
  },
  operations: ({ KEY_REPLACEMENT }) => [
    registrationEndpoint,
    remove,
    availability,
    status,
    change,
    ...(KEY_REPLACEMENT === 'on' ? [keyReplacementEndpoint] : []),
    search,
    getAgent,
    agentList,
    leaderboard,
    trending,
    agentDetail,
    holdings,
    me,
    ...ownLists,
    ownPeriods,
    ownDeletion,
    heartbeat,
    heartbeatTool,
  ],
  graphql: [
    () => import('./registration/graphql.js'),
    () => import('./graphql.js'),
    () => import('./keys/graphql.js'),
    () => import('./lists/graphql.js'),
    () => import('./me/graphql.js'),
  ],
};
