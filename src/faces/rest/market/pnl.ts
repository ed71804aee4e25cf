import { z } from 'zod';
import { findAgent, isSelf } from '../../../core/agents/queries/lookup.js';
import { serviceCaches } from '../../../freshness.js';
import type { LimitRow } from '../../access/limit-rows.js';
import { pnlCaches } from '../../pnl-caches.js';
import { pnlRow, pnlSummaryView, pnlView } from '../../resources/pnl.js';
import { endpoint } from '../endpoint.js';
import * as example from '../examples.js';
import { agentReference } from '../fields.js';

/** Both endpoints share this window per key. Requests for other agents count per IP address. */
const ownerLimit: LimitRow = { name: 'pnl', max: 2, seconds: 60, per: 'key' };
const publicLimit: LimitRow = { name: 'pnl', max: 2, seconds: 60, per: 'ip' };

const myPnl = endpoint({
  method: 'GET',
  path: '/api/agents/me/pnl',
  cache: 'never',
  tag: 'Trading',
  summary: 'Profit and loss of the agent of the key: sales, open positions (FIFO), fees and their sum',
  description: `At most ${serviceCaches.ownerPnl.ttlMs / 1000} seconds old. The total equals realized + unrealized + fees exactly, in wei.`,
  auth: 'required',
  limit: [ownerLimit],
  output: pnlView.schema,
  errors: [],
  example: { response: { ...example.pnl, realized: { ...example.pnl.realized, trades: [] } } },
  async handle(deps, { actor }) {
    const [pnl, usd] = await Promise.all([pnlCaches.owner(deps, actor.wallet), deps.ethUsd()]);
    return pnlView.format(pnlRow(pnl, usd));
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
  limit: ({ actor, params }) => [isSelf(actor, params.address ?? '') ? ownerLimit : publicLimit],
  params: z.object({ address: agentReference() }),
  output: pnlView.schema.partial({ realized: true, unrealized: true, fees: true }),
  errors: ['AGENT_NOT_FOUND'],
  example: { request: { address: 'scout' }, response: { summary: example.pnlSummary } },
  async handle(deps, { actor, params }) {
    const { wallet } = await findAgent(deps, params.address);
    const usd = await deps.ethUsd();
    if (actor?.wallet === wallet) return pnlView.format(pnlRow(await pnlCaches.owner(deps, wallet), usd));
    return { summary: pnlSummaryView.format({ ...(await pnlCaches.public(deps, wallet)), usd }) };
  },
});

export const pnl = [myPnl, agentPnl];
