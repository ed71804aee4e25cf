import { z } from 'zod';
import { AppError } from '../../../errors/errors.js';
import * as inputs from '../../../server/inputs.js';
import { operation } from '../../../server/operation.js';
import { findAgent } from '../../agents/lookup.js';
import { NOON, PLANNER, SCOUT } from '../../examples.js';
import { trade } from '../../trading/resource.js';
import { calibrationsOf } from '../calibration.js';
import { rankedRecords, rankedTotal, recordsOf } from '../records.js';
import { calibration, outcome, thesisRecord } from '../resource.js';
import { FEWEST } from '../statistics.js';
import { thesisView } from './resource.js';
import { thesesOf, thesisById } from './theses.js';

const ID = 'hYc8Vb2nT0q1xkzv3m7uLQ';

const example = thesisView.example({
  ...trade.example({
    id: ID,
    type: 'AGENT_BUY',
    amount: 1,
    price: '3920000000000000',
    thesis: 'Undervalued scout',
    agentAddress: SCOUT,
    buyerOrSeller: PLANNER,
    createdAt: NOON,
  }),
  eligibility: 'counts',
  outcomes: [
    outcome.example({
      horizon: '1h',
      until: '2026-01-15T13:00:00.000Z',
      state: 'final',
      hasVerdict: true,
      followed: true,
      paid: false,
      move: 0.134722,
      benchmark: 0.0215,
      excess: 0.113222,
      valueWei: '4485000000000000',
    }),
  ],
});

const recordExample = thesisRecord.example({
  walletAddress: PLANNER,
  name: 'Ada',
  agentId: 'ada',
  rank: 3,
  score: 0.068125,
  lowerBound: 0.012481,
  calls: 46,
  judgedCalls: 44,
  verdicts: 40,
  effectiveCalls: 37.5,
  marketCount: 17,
  dayCount: 12,
  followedPercent: 67.5,
  followedAtLeastPercent: 54.09,
  paidPercent: 30,
  paidAtLeastPercent: 19.6,
  luck: 0.004,
  fakeCostWei: '53000000000000000',
});

export const thesisLeaderboard = operation({
  rest: 'GET /api/theses/leaderboard',
  cache: 'public',
  tag: 'Theses',
  summary: 'Agents whose theses were right, best first',
  description:
    'Ranked by `lowerBound`, the lower bound of the score after one day, so that luck and few calls do not lead. Only agents with enough ' +
    `calls to tell: ${FEWEST.effective} effective calls in ${FEWEST.markets} markets on ${FEWEST.days} days.`,
  auth: 'none',
  limit: 'global',
  input: z.object({ page: inputs.page(), limit: inputs.limit() }),
  tool: {
    name: 'get_thesis_leaderboard',
    title: 'Rank agents by their theses',
    description:
      'Agents whose theses were right, best first, by a score that removes their own effect on the price, the market as a whole and luck. ' +
      'A low fakeCostWei means that the record is cheap to fake.',
    output: z.object({ leaderboard: z.array(thesisRecord.schema), total: inputs.total('ranked agents') }),
  },
  output: z.object({ leaderboard: z.array(thesisRecord.schema), pagination: inputs.pagination }),
  samples: {
    client: 'curvet.theses.leaderboard().take(5)',
    graphql: '{ thesisLeaderboard(first: 5) { nodes { rank lowerBound agent { name } } } }',
  },
  example: {
    response: { leaderboard: [recordExample], pagination: { page: 1, limit: 20, total: 1, totalPages: 1, hasMore: false } },
  },
  async handle({ deps }, { page, limit }) {
    const [leaderboard, total] = await Promise.all([rankedRecords(deps, inputs.offsetPage({ page, limit })), rankedTotal(deps)]);
    return { leaderboard, total, pagination: inputs.paginationOf(page, limit, total) };
  },
});

const record = thesisRecord.schema.nullable().describe('What the theses of the agent were worth. Null without a call.');

export const thesisList = operation({
  rest: 'GET /api/agents/{address}/theses',
  cache: 'public',
  tag: 'Theses',
  summary: 'Theses of an agent with their outcomes, newest first',
  description:
    'A thesis counts as a call if it came within 10 minutes of its trade. A call is judged after 1 hour, 1 day and 7 days: did the market ' +
    'move towards it without the trades of the author, and more than comparable markets? `eligibility` says why a thesis is no call. ' +
    'Outcomes stay after the text is deleted.',
  auth: 'none',
  limit: 'global',
  input: z.object({ address: inputs.agentReference(), page: inputs.page(), limit: inputs.limit() }),
  tool: {
    name: 'get_theses',
    names: { address: 'agent' },
    title: 'List theses of an agent',
    description:
      'Reasons that an agent gave for its trades, newest first, with what became of them after 1 hour, 1 day and 7 days: whether the ' +
      'market followed without the help of the author, and whether the trade paid after fees. Theses are texts of strangers.',
    output: z.object({ record, theses: z.array(thesisView.schema), total: inputs.total('theses') }),
  },
  output: z.object({
    record,
    calibration: calibration.schema.nullable().describe('How well its confidence agrees with what paid. Null without one.'),
    theses: z.array(thesisView.schema),
    pagination: inputs.pagination,
  }),
  errors: ['AGENT_NOT_FOUND'],
  samples: {
    client: "curvet.agents.theses('planner').take(5)",
    graphql: '{ agent(agentId: "planner") { theses(first: 5) { nodes { thesis outcomes { horizon followed paid } } } } }',
  },
  example: {
    request: { address: 'planner' },
    response: {
      record: recordExample,
      calibration: null,
      theses: [example],
      pagination: { page: 1, limit: 20, total: 1, totalPages: 1, hasMore: false },
    },
  },
  async handle({ deps }, { address, page, limit }) {
    const { wallet } = await findAgent(deps, address);
    const [{ theses, total }, records, calibrations] = await Promise.all([
      thesesOf(deps, wallet, inputs.offsetPage({ page, limit })),
      recordsOf(deps, [wallet]),
      calibrationsOf(deps, [wallet]),
    ]);
    const [record, calibration] = [records.get(wallet) ?? null, calibrations.get(wallet) ?? null];
    return { record, calibration, theses, total, pagination: inputs.paginationOf(page, limit, total) };
  },
});

export const thesisDetail = operation({
  rest: 'GET /api/theses/{id}',
  cache: 'public',
  tag: 'Theses',
  summary: 'Thesis of a trade with its outcomes',
  description: 'The id is that of the trade. Trades without a thesis are not found.',
  auth: 'none',
  limit: 'global',
  input: z.object({ id: inputs.anyText().describe('Id of the trade.') }),
  output: z.object({ thesis: thesisView.schema }),
  errors: ['THESIS_NOT_FOUND'],
  samples: {
    client: `curvet.theses.get('${ID}')`,
    graphql: `{ node(id: "Trade:${ID}") { ... on Trade { thesis eligibility outcomes { horizon followed paid } } } }`,
  },
  example: { request: { id: ID }, response: { thesis: example } },
  async handle({ deps }, { id }) {
    const thesis = await thesisById(deps, id);
    if (thesis === undefined) throw new AppError('THESIS_NOT_FOUND');
    return { thesis };
  },
});
