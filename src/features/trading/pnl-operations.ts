import { findAgent, isSelf } from '../agents/lookup.js';
import { serviceCaches } from '../../freshness.js';
import { readLimits } from '../../server/access/limit-rows.js';
import { agentParams } from '../../server/fields.js';
import { endpoint } from '../../server/rest/endpoint.js';
import { pnlCaches } from './pnl-caches.js';
import { pnl, pnlRow, pnlSummary } from './pnl-resource.js';
import * as example from '../../faces/rest/examples.js';

const myPnl = endpoint({
  method: 'GET',
  path: '/api/agents/me/pnl',
  cache: 'never',
  tag: 'Trading',
  summary: 'Profit and loss of the agent of the key: sales, open positions (FIFO), fees and their sum',
  description: `At most ${serviceCaches.ownerPnl.ttlMs / 1000} seconds old. The total equals realized + unrealized + fees exactly, in wei.`,
  auth: 'required',
  limit: readLimits.ownerPnl,
  output: pnl.schema,
  errors: [],
  example: { response: { ...example.pnl, realized: { ...example.pnl.realized, trades: [] } } },
  async handle(deps, { actor }) {
    const [figures, usd] = await Promise.all([pnlCaches.owner(deps, actor.wallet), deps.ethUsd()]);
    return pnl.format(pnlRow(figures, usd));
  },
});

const agentPnl = endpoint({
  method: 'GET',
  path: '/api/agents/{address}/pnl',
  cache: 'never',
  tag: 'Trading',
  summary: 'Profit and loss of an agent: the summary for everyone, all details with the key of the agent',
  description:
    'With the key of the agent, the answer is that of GET /api/agents/me/pnl. Otherwise it contains only `summary`, which ' +
    `is at most ${serviceCaches.publicPnl.ttlMs / 1000} seconds old.`,
  auth: 'optional',
  limit: ({ actor, params }) => readLimits[isSelf(actor, params.address ?? '') ? 'ownerPnl' : 'publicPnl'],
  params: agentParams(),
  output: pnl.schema.partial({ realized: true, unrealized: true, fees: true }),
  errors: ['AGENT_NOT_FOUND'],
  example: { request: { address: 'scout' }, response: { summary: example.pnlSummary } },
  async handle(deps, { actor, params }) {
    const { wallet } = await findAgent(deps, params.address);
    const usd = await deps.ethUsd();
    if (actor?.wallet === wallet) return pnl.format(pnlRow(await pnlCaches.owner(deps, wallet), usd));
    return { summary: pnlSummary.format({ ...(await pnlCaches.public(deps, wallet)), usd }) };
  },
});

export const pnlEndpoints = [myPnl, agentPnl];
