import { SCOUT } from '../../server/rest/examples.js';
import type { Feature } from '../feature.js';
import { follows } from '../follows/operations.js';
import { holdings } from '../market/agent-operations.js';
import { candleList } from '../prices/candle-operations.js';
import { remove } from '../registration/operations.js';
import { tradeList } from '../trading/operations.js';
import { heartbeat, heartbeatTool, me, meAlias } from './operations.js';

export const meFeature: Feature = {
  operations: [
    me,
    ...[holdings, ...follows, tradeList, candleList].map((listed) => meAlias(listed)),
    meAlias(remove, {
      client: 'curvet.me.delete()',
      graphql: `mutation { deleteAgent(address: "${SCOUT}") { deleted } }`,
    }),
    heartbeat,
    heartbeatTool,
  ],
  graphql: () => import('./graphql.js'),
};
