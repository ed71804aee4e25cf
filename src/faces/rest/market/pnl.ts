import { z } from 'zod';
import { findAgent, isSelf } from '../../../core/agents/queries/lookup.js';
import type { LimitRow } from '../../access/limit-rows.js';
import { pnlCaches } from '../../pnl-caches.js';
import { pnlRow, pnlSummaryView, pnlView } from '../../resources/pnl.js';
import { endpoint } from '../endpoint.js';
import * as example from '../examples.js';
import { text } from '../fields.js';

/** me/pnl and the owner's own …/pnl count together, by key; the public's by IP. */
const owner: LimitRow = { name: 'pnl', max: 2, seconds: 60, per: 'key' };
const stranger: LimitRow = { name: 'pnl', max: 2, seconds: 60, per: 'ip' };

const mine = endpoint({
  method: 'GET',
  path: '/api/agents/me/pnl',
  cache: 'never',
  tag: 'Trading',
  summary: "The caller's profit and loss: realized sales, open positions (FIFO), fees and the sum",
  description: 'At most 10 seconds old. total = realized + unrealized + fees, to the wei.',
  auth: 'required',
  limit: [owner],
  output: pnlView.schema,
  errors: [],
  example: { response: { ...example.pnl, realized: { ...example.pnl.realized, trades: [] } } },
  async handle(deps, { actor }) {
    const [pnl, usd] = await Promise.all([pnlCaches.owner(deps, actor.wallet), deps.ethUsd()]);
    return pnlView.format(pnlRow(pnl, usd));
  },
});

const ofAgent = endpoint({
  method: 'GET',
  path: '/api/agents/{address}/pnl',
  cache: 'never',
  tag: 'Trading',
  summary: "An agent's profit and loss: the sum for everybody, everything for its owner",
  description:
    "With the agent's own key the answer is that of /api/agents/me/pnl; else summary alone, at most 30 s old.",
  auth: 'optional',
  limit: ({ actor, params }) => [isSelf(actor, params.address ?? '') ? owner : stranger],
  params: z.object({ address: text().meta({ description: 'A wallet address, an agentId or a name' }) }),
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

export const pnl = [mine, ofAgent];
