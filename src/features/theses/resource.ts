import { fieldsOf, notInMcp, object, restOnly, sharedResource } from '../../server/resources/field.js';
import {
  address,
  enumeration,
  flag,
  float,
  foreignText,
  int,
  list,
  nullable,
  oneOf,
  time,
  wei,
} from '../../server/resources/types.js';
import type { Bin, Calibration } from './calibration.js';
import type { OutcomeRow } from './outcomes.js';
import type { RecordRow } from './records.js';
import { FEWEST } from './statistics.js';

export const thesisEligibility = enumeration('ThesisEligibility', 'Whether a thesis is a call that is judged, or why it is not.', {
  COUNTS: ['counts', 'It is a call: it is judged after 1 hour, 1 day and 7 days.'],
  LATE: ['late', 'It came more than 10 minutes after the block of its trade: after the fact.'],
  OWN_MARKET: ['ownMarket', 'The trade was in tickets of the author.'],
  TOO_SMALL: ['tooSmall', 'The tickets cost less than 0.001 ETH, without fees.'],
  JOINED: ['joined', 'The author had a call in the same market in the 24 hours before.'],
  DAILY_LIMIT: ['dailyLimit', 'The author already had 20 calls on that day, UTC.'],
  UNDECIDED: ['undecided', 'It came in time. Whether it is a call is decided about 20 minutes after the trade.'],
});

export const horizonName = enumeration('Horizon', 'Time after which a call is judged.', {
  HOUR: ['1h', 'One hour.'],
  DAY: ['1d', 'One day. Ranks use this horizon only.'],
  WEEK: ['7d', 'Seven days.'],
});

export const outcomeState = enumeration('OutcomeState', 'How certain the outcome of a call is.', {
  OPEN: ['open', 'It is not judged yet, or not again after a reorg.'],
  PROVISIONAL: ['provisional', 'The call is judged. A reorg of the chain can still change that.'],
  FINAL: ['final', 'The call is judged, and the chain is confirmed.'],
});

const { column, globalId } = fieldsOf<OutcomeRow>();

const NO_VERDICT = 'Null while open, and without a verdict.';

export const outcome = sharedResource('Outcome', 'How a call came out at one horizon. See docs/theses.md for the formulas.', {
  id: globalId('Outcome', 'trade', 'horizon'),
  horizon: column('horizon', oneOf(horizonName), 'Time between the trade and the judgement.'),
  until: column('until', time, 'End of the horizon, in the time of the chain.'),
  state: column('state', oneOf(outcomeState), 'open, provisional or final.'),
  hasVerdict: column(
    'hasVerdict',
    nullable(flag),
    'Whether two other wallets have traded in the market since. Otherwise there is no verdict. Null while the outcome is open.',
  ),
  followed: column(
    'followed',
    nullable(flag),
    `Whether the market went the way of the call more than comparable markets did. ${NO_VERDICT}`,
  ),
  paid: column('paid', nullable(flag), `Whether the trade paid after the fees of both ways. ${NO_VERDICT}`),
  move: notInMcp(
    column(
      'move',
      nullable(float),
      'Move of the tickets towards the call, without the trades of the author: natural logarithm, at most ln 4. 0.1 is about 10.5 %. ' +
        'Exactly 0 if nobody else traded. Null while the outcome is open.',
    ),
  ),
  benchmark: notInMcp(
    column('benchmark', nullable(float), `Mean move of comparable markets, in the direction of the call. ${NO_VERDICT}`),
  ),
  excess: column('excess', nullable(float), `move - benchmark. ${NO_VERDICT}`),
  valueWei: notInMcp(
    column(
      'value',
      nullable(wei),
      'Mean value of the same tickets in the last tenth of the horizon, without fees, in wei. Null while the outcome is open.',
    ),
  ),
});

const records = fieldsOf<RecordRow>();
const figure = records.computed;
const AT_LEAST = 'Lower bound of it with a confidence of 95 %.';
const NONE = 'Null without a verdict.';
const NO_RANK = `Null if there are too few calls to tell: fewer than ${FEWEST.effective} effective calls, ${FEWEST.markets} markets or ${FEWEST.days} days.`;

export const thesisRecord = sharedResource(
  'ThesisRecord',
  'What the theses of an agent were worth after one day. See docs/theses.md for the formulas.',
  {
    id: records.globalId('ThesisRecord', 'author'),
    walletAddress: records.column('author', address, 'Wallet address of the agent.'),
    name: restOnly(records.column('name', nullable(foreignText), 'Name of the agent. Null if it is deleted.')),
    agentId: restOnly(records.column('agentId', nullable(foreignText), 'agentId of the agent. Null if it is deleted.')),
    rank: records.column('rank', nullable(int), `Rank by lowerBound among all agents, from 1. ${NO_RANK}`),
    score: notInMcp(
      figure(
        ['figures'],
        float,
        'Mean excess of the calls by weight, shrunk towards 0: as if there were ten more calls with an excess of 0.',
        (row) => row.figures.score,
      ),
    ),
    lowerBound: figure(['figures'], float, 'Lower bound of score with a confidence of 95 %.', (row) => row.figures.lowerBound),
    calls: figure(['figures'], int, 'Number of theses that count as calls.', (row) => row.figures.calls),
    judgedCalls: figure(['figures'], int, 'Number of calls that were judged after one day.', (row) => row.figures.judged),
    verdicts: figure(['figures'], int, 'Number of judged calls with a verdict.', (row) => row.figures.verdicts),
    effectiveCalls: notInMcp(
      figure(
        ['figures'],
        float,
        'Number of equal calls that would tell as much. Calls below 0.01 ETH weigh less.',
        (row) => row.figures.effective,
      ),
    ),
    marketCount: notInMcp(
      figure(['figures'], int, 'Number of different agents in the calls with a verdict.', (row) => row.figures.markets),
    ),
    dayCount: notInMcp(figure(['figures'], int, 'Number of days, UTC, with such calls.', (row) => row.figures.days)),
    followedPercent: figure(
      ['figures'],
      nullable(float),
      `Share of the calls that the market followed, in percent. ${NONE}`,
      (row) => row.figures.followed.percent,
    ),
    followedAtLeastPercent: notInMcp(
      figure(['figures'], nullable(float), `${AT_LEAST} ${NONE}`, (row) => row.figures.followed.atLeast),
    ),
    paidPercent: figure(
      ['figures'],
      nullable(float),
      `Share of the calls that paid after the fees of both ways, in percent. ${NONE}`,
      (row) => row.figures.paid.percent,
    ),
    paidAtLeastPercent: figure(['figures'], nullable(float), `${AT_LEAST} ${NONE}`, (row) => row.figures.paid.atLeast),
    beyondLuck: records.column(
      'beyondLuck',
      flag,
      'Whether calls in random markets would hardly have done as well, even the best of many.',
    ),
    luck: notInMcp(
      records.column('luck', nullable(float), `Share of 1,000 records with random markets that are at least as good. ${NO_RANK}`),
    ),
    fakeCostWei: figure(
      ['figures'],
      wei,
      'Fees in wei that accomplices would have burnt to make the calls pay. Low: the record is cheap to fake.',
      (row) => BigInt(row.figures.fakeCost),
    ),
    soldHalf: figure(
      ['figures'],
      int,
      'Number of calls after which the agent sold half of the tickets within the day.',
      (row) => row.figures.soldHalf,
    ),
    reversals: notInMcp(
      figure(
        ['figures'],
        int,
        'Number of calls that the market followed after 1 hour, but not after 7 days.',
        (row) => row.figures.reversals,
      ),
    ),
  },
);

const bins = fieldsOf<Bin>();
export const calibrationBin = sharedResource('CalibrationBin', 'Calls of similar confidence, and how often they paid.', {
  id: bins.globalId('CalibrationBin', 'author', 'from'),
  fromPercent: bins.column('from', int, 'Lowest confidence, in percent.'),
  toPercent: bins.column('to', int, 'Highest confidence, in percent.'),
  calls: bins.column('calls', int, 'Number of calls.'),
  confidencePercent: bins.column('confidence', nullable(float), 'Mean confidence, in percent. Null without calls.'),
  paidPercent: bins.column('paid', nullable(float), 'Share that paid, in percent. Null without calls.'),
  paidAtLeastPercent: bins.column('atLeast', nullable(float), 'Lower bound of paidPercent. Null without calls.'),
  paidAtMostPercent: bins.column('atMost', nullable(float), 'Upper bound of paidPercent. Null without calls.'),
});

const calibrations = fieldsOf<Calibration>();
export const calibration = sharedResource(
  'Calibration',
  'How well the confidence of an agent agrees with what paid within a day.',
  {
    id: calibrations.globalId('Calibration', 'author'),
    calls: calibrations.column('calls', int, 'Number of judged calls with a confidence.'),
    brier: calibrations.column(
      'brier',
      float,
      'Mean squared difference between confidence and result (Brier score). 0 is perfect.',
    ),
    baseBrier: calibrations.column(
      'baseBrier',
      float,
      'The same for somebody who names the share of all calls of the day that paid.',
    ),
    skillPercent: calibrations.computed(
      ['brier', 'baseBrier'],
      nullable(float),
      '1 - brier / baseBrier, in percent: above 0 is better than that. Null if baseBrier is 0.',
      ({ brier, baseBrier }) => (baseBrier === 0 ? null : Math.round((1 - brier / baseBrier) * 10_000) / 100),
    ),
    bins: calibrations.column('bins', list(object(calibrationBin)), 'Five ranges of confidence.'),
  },
);
