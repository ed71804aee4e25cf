import { expect } from 'chai';
import { seed, seeded } from '../../../support/seed.js';
import { hashOf, historyMaker, scripted } from '../../../support/theses/call-history.js';
import { callOracle, type ExpectedOutcome, type ExpectedThesis } from '../../../support/theses/call-oracle.js';
import { recordOf } from '../../../support/theses/record.js';
import { recordOracle } from '../../../support/theses/record-oracle.js';
import { useWorld } from '../../../support/world.js';

const DAY = 24 * 60;
/** Markets at 10 tickets, in which others have traded in the week before, and which stand still afterwards. */
const quietMarkets = ['A', 'B', 'C', 'D', 'E', 'F', 'G'].flatMap((name) => [
  `0 ${name} opens`,
  `1 Ann buys 5 ${name}`,
  `2 Ben buys 4 ${name}`,
]);
const others = (minute: number, ...trades: string[]) => trades.map((trade) => `${minute} ${trade}`);

/** A way to look right, its script, the call in it, and what becomes of the call after a day. */
type Attempt = {
  readonly lines: readonly string[];
  readonly call: string;
  readonly eligibility?: string;
  readonly day?: Partial<ExpectedOutcome>;
};
const buys = '100 Cal buys 5 A | 3';

const attempts: Readonly<Record<string, Attempt>> = {
  'a purchase that nobody follows stays at exactly 0, although its own price rises by 54 %': {
    lines: [buys],
    call: buys,
    day: { move: 0, benchmark: null, paid: null },
  },
  'a purchase split in ten stays at exactly 0': {
    lines: ['100 Cal buys 4 A | 3', ...Array.from({ length: 9 }, (_, i) => `${101 + i} Cal buys 1 A`)],
    call: '100 Cal buys 4 A | 3',
    day: { move: 0, benchmark: null },
  },
  'later purchases by the author move nothing': {
    lines: [buys, ...others(200, 'Cal buys 20 A', 'Ann sells 1 A', 'Ben buys 1 A')],
    call: buys,
    day: { move: 0, benchmark: 0, paid: false },
  },
  'a sale by the author after the call moves nothing, and is counted': {
    lines: [buys, ...others(200, 'Cal sells 4 A', 'Ann sells 1 A', 'Ben buys 1 A')],
    call: buys,
    day: { move: 0, benchmark: 0, paid: false, soldHalf: true },
  },
  'one accomplice gives no verdict': {
    lines: [buys, ...others(200, 'Dan buys 20 A', 'Dan buys 19 A')],
    call: buys,
    day: { benchmark: null, paid: null },
  },
  'two accomplices make it pay, and the record shows that 0.02534 ETH of fees bought that': {
    lines: [buys, ...others(200, 'Dan buys 10 A', 'Eve buys 10 A')],
    call: buys,
    day: { paid: true, benchmark: 0, fakeCost: '25340000000000000' },
  },
  'two accomplices whose fees go to the author give no verdict': {
    lines: [
      '50 Dan opens',
      '51 Eve opens',
      '52 Dan pays Cal',
      '53 Eve pays Cal',
      buys,
      ...others(200, 'Dan buys 10 A', 'Eve buys 10 A'),
    ],
    call: buys,
    day: { move: 0, benchmark: null, paid: null },
  },
  'two accomplices whose fees go to one wallet are one, which gives no verdict': {
    lines: [
      '50 Dan opens',
      '51 Eve opens',
      '52 Dan pays Fay',
      '53 Eve pays Fay',
      buys,
      ...others(200, 'Dan buys 10 A', 'Eve buys 10 A'),
    ],
    call: buys,
    day: { benchmark: null, paid: null },
  },
  'accomplices who pay the author only after the call, or no more, are others': {
    lines: [
      '50 Dan opens',
      '51 Eve opens',
      '52 Dan pays Cal',
      '53 Dan pays Dan',
      buys,
      '101 Eve pays Cal',
      ...others(200, 'Dan buys 10 A', 'Eve buys 10 A'),
    ],
    call: buys,
    day: { paid: true, benchmark: 0, fakeCost: '25340000000000000' },
  },
  'a purchase in the market of the wallet that receives the fees of the author is no call': {
    lines: ['90 Cal opens', '91 Cal pays A', buys],
    call: buys,
    eligibility: 'ownMarket',
  },
  'a reason after one of the wallet that receives the fees of the author joins that call': {
    lines: ['90 Dan opens', '91 Cal opens', '92 Cal pays Dan', '95 Dan buys 5 A | 1', buys],
    call: buys,
    eligibility: 'joined',
  },
  'strangers who pay their fees to the author take no call from it, and no verdict that others give': {
    lines: [
      '50 Dan opens',
      '51 Dan pays Cal',
      '52 A pays Cal',
      '95 Dan buys 5 A | 1',
      buys,
      ...others(200, 'Dan sells 5 A', 'Ann buys 1 A', 'Ben buys 1 A'),
    ],
    call: buys,
    day: { soldHalf: false, benchmark: 0 },
  },
  'a push in the last minute of the day counts for one minute of 144': {
    lines: [buys, ...others(100 + DAY - 1, 'Dan buys 10 A', 'Eve buys 10 A')],
    call: buys,
    day: { move: 13_540, paid: false, benchmark: 0 },
  },
  'a purchase in the own market is no call': {
    lines: ['100 A buys 5 A | 3'],
    call: '100 A buys 5 A | 3',
    eligibility: 'ownMarket',
  },
  'a purchase below 0.001 ETH is no call': {
    lines: ['50 Ann sells 4 A', '100 Cal buys 1 A | 3'],
    call: '100 Cal buys 1 A | 3',
    eligibility: 'tooSmall',
  },
  'a reason after 10 minutes is no call': {
    lines: ['100 Cal buys 5 A | 10.1'],
    call: '100 Cal buys 5 A | 10.1',
    eligibility: 'late',
  },
  'a second reason on the same market within a day joins the first call': {
    lines: [buys, '1500 Cal sells 1 A | 1'],
    call: '1500 Cal sells 1 A | 1',
    eligibility: 'joined',
  },
  'a reason on the same market after a day is a new call': {
    lines: [buys, '1540 Cal sells 1 A | 1'],
    call: '1540 Cal sells 1 A | 1',
    eligibility: 'counts',
  },
  'the 21st call of a day is no call': {
    lines: Array.from({ length: 21 }, (_, i) => [`90 M${i} opens`, `91 Ann buys 9 M${i}`, `100 Cal buys 1 M${i} | 3`]).flat(),
    call: '100 Cal buys 1 M20 | 3',
    eligibility: 'dailyLimit',
  },
  'a market that rises with all others has no excess': {
    lines: [buys, ...others(200, ...'ABCDEFG'.split('').flatMap((name) => [`Ann buys 2 ${name}`, `Ben buys 1 ${name}`]))],
    call: buys,
    day: { move: 441_343, benchmark: 441_343 },
  },
};

describe('the record of theses', () => {
  const record = recordOf(useWorld());

  for (const [what, { lines, call, eligibility = 'counts', day }] of Object.entries(attempts)) {
    it(`holds if someone tries to look right: ${what}`, async () => {
      const history = scripted([...quietMarkets, ...lines], 100 + DAY + 60);
      await record.begin(history);
      const now = await record.reach(history);
      const stored = await record.stored();
      expect(stored).to.deep.equal(callOracle(history.facts, history.reasons, history.end, now));
      const thesis = stored.get(hashOf(call));
      expect(thesis?.eligibility).to.equal(eligibility);
      if (day) expect(thesis?.outcomes.find(({ horizon }) => horizon === '1d')).to.include(day);
    });
  }

  it('draws no market instead of the lowest wallets if none of the next 50 is comparable', async () => {
    const more = ['H', 'I', 'J', 'K', 'L'].flatMap((name) => [`3 ${name} opens`, `4 Ann buys 5 ${name}`, `5 Ben buys 4 ${name}`]);
    const empty = Array.from({ length: 600 }, (_, i) => `6 Empty${i} opens`);
    const followed = others(200, 'Ann buys 1 A', 'Ben buys 1 A');
    const history = scripted([...quietMarkets, ...more, ...empty, buys, ...followed], 100 + DAY + 60);
    await record.begin(history);
    const now = await record.reach(history);
    const stored = await record.stored();
    expect(stored).to.deep.equal(callOracle(history.facts, history.reasons, history.end, now));
    const day = stored.get(hashOf(buys))?.outcomes.find(({ horizon }) => horizon === '1d');
    expect(day?.controls).to.have.length.within(5, 19);
  });

  it('equals the oracle and a fresh index while the chain grows and is reorganised', async () => {
    const start = new Date('2026-09-01T00:00:00Z');
    const maker = historyMaker({ random: seeded(seed), wallets: 40, markets: 24, start, pause: 1200, reasoned: 0.3 });
    let history = maker.grow(300);
    await record.begin(history);
    const seen: ExpectedThesis[] = [];
    for (let round = 0; round < 12; round++) {
      const now = await record.reach(history);
      const come = history.reasons.filter(({ at }) => at <= now);
      const expected = callOracle(history.facts, come, history.end, now);
      expect(await record.stored()).to.deep.equal(expected);
      expect(await record.records()).to.deep.equal(recordOracle(history.facts, expected));
      seen.push(...expected.values());
      history = round % 3 === 2 ? maker.fork(history, 60, 150, `fork ${round}`) : maker.more(history, 150, `more ${round}`);
    }
    const [theses, records] = [await record.stored(), await record.records()];
    expect(await record.again()).to.deep.equal(theses);
    expect(await record.records()).to.deep.equal(records);
    const kinds = new Set(seen.map(({ eligibility }) => eligibility));
    expect([...kinds]).to.include.members(['counts', 'late', 'ownMarket', 'tooSmall', 'joined', null]);
    const given = seen.flatMap(({ outcomes }) => outcomes.map(({ horizon, paid }) => `${horizon} ${paid}`));
    expect(given).to.include.members(['1h', '1d', '7d'].flatMap((horizon) => [`${horizon} true`, `${horizon} false`]));
    expect(given).to.include('1h null');
    expect(records.filter(({ rank }) => rank !== null)).to.have.length.above(5);
  });
});
