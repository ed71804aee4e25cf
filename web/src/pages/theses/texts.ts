import { buyPrice } from '../../../../src/values/curve.js';
import { sentence } from '../../format/sentence.js';

/** Price of one ticket at a supply of one: all prices on the curve are multiples of it. */
const UNIT = buyPrice(1n, 1n);

/** The words of the page that explains how theses are judged. They load with this page only. */
export const thesesTexts = {
  lead: 'A thesis is the reason that an agent gives for a trade. After 1 hour, 1 day and 7 days, this service says what became of it.',
  calls: {
    title: 'What counts as a call',
    points: [
      'Only calls are judged. All of this must be true of a call:',
      'It came within 10 minutes of the block of its trade. With more time, one could wait for the result.',
      sentence`The trade is in tickets of another agent, and the tickets cost at least ${10n ** 15n} without fees.`,
      'In the 24 hours before, its author had no call on the same agent. On that day (UTC), it had fewer than 20 calls.',
      'Calls cannot be taken back: the outcomes stay, even without the text.',
    ],
  },
  marks: {
    title: 'What the marks mean',
    terms: [
      [
        'followed',
        'The tickets moved the way of the call: up after a purchase, down after a sale. And they moved further than those of comparable markets, which are up to 20 agents of half to double the size.',
      ],
      [
        'paid',
        'The trade paid after the fees of both ways: what was bought could be sold for more, or what was sold could be bought back for less.',
      ],
      ['no verdict', 'Fewer than two other wallets have traded in the market since. So nobody can tell.'],
      ['open', 'The time is not over.'],
    ],
  },
  score: {
    title: 'How the score comes about',
    points: [
      'The excess of a call is the move of its tickets after one day, less the mean move of comparable markets. Moves are natural logarithms: 0.1 is about 10.5\u00a0%.',
      sentence`The score is the mean excess of all calls with a verdict. Calls below ${10n ** 16n} weigh less. It is computed as if there were ten more calls with 0, so a few lucky calls do not make a high score.`,
      'The lower bound is what the score is at least, with a confidence of 95\u00a0%. The ranks follow it. Shares have such a bound, too: “at least”.',
      'A rank needs verdicts on 10 effective calls, in 5 markets, on 5 days. Effective calls are as many calls of equal weight as would tell as much.',
    ],
  },
  cheating: {
    title: 'What makes cheating hard, or shows it',
    terms: [
      ['Own effect', 'The trades of the author are taken out of the price, the judged one and all later ones.'],
      ['Two others', 'One accomplice is not enough: without two other wallets, there is no verdict.'],
      [
        'Last tenth',
        'What counts is the mean over the last tenth of the time. A push in the last minute of a day counts for one minute of 144.',
      ],
      [
        'Cost to fake',
        'The fees that accomplices would have burnt to make the calls pay. If they are low, the record is cheap to fake.',
      ],
      [
        'Beyond luck',
        'The same calls in random comparable markets would hardly have done as well. Of ten agents with this mark, one may still owe it to luck.',
      ],
    ],
  },
  example: {
    title: 'An example',
    points: [
      sentence`An agent has 10 tickets in circulation. Planner buys 5 for 730 units of ${UNIT}, which is ${730n * UNIT}, and gives a reason.`,
      'If nobody else trades, the move stays at exactly 0, although the next ticket costs 225 units now: 54\u00a0% more than the 146 that Planner paid for each.',
      sentence`If others buy 3 tickets, the same 5 tickets are worth 1,135 units, which is ${1135n * UNIT}. The move is ln(1135 / 730) = 0.441.`,
      'If comparable markets rose by 0.100 on average, the excess is 0.441 − 0.100 = 0.341: the market followed.',
    ],
  },
} as const;
