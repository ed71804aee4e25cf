import { isDeepStrictEqual } from 'node:util';
import { ensureData } from '../dataset/databases.js';
import { sizes } from '../dataset/plan.js';
import type { Fifo } from '../peers/fifo.js';
import { median } from '../support/figures.js';
import { root } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { node, runProgram } from '../support/servers.js';

export const fifo: Row = {
  name: 'fifo',
  title: 'FIFO rebuild of 1,000,000 trades, loading included, beside a plain loop with BigInt and pg',
  limit:
    'the few trades of a quick run are over before the code is compiled, the million of a full run decides; there the computing is a thirtieth of that of the plain loop, and what is left is the database, which sorts the million and writes it as one text a position. Tried and slower: a join with the pairs (0.87 times the plain loop), one text a trade with the positions found in maps (0.95), each column by itself, buckets of texts, an exact filter by both wallets in one text',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const size = options.quick ? 'quick' : 'small';
    const database = await ensureData(options.server, size, options.say);
    const run = async (mode: string) =>
      JSON.parse(await runProgram([node, `${root}/dist/bench/peers/fifo.js`, database, mode])) as Fifo;
    const [own, plain]: Fifo[][] = [[], []];
    for (let round = 0; round <= options.rounds; round++) {
      const [mine, theirs] = [await run('own'), await run('plain')];
      if (!isDeepStrictEqual(mine.left, theirs.left)) throw new Error(`${mine.left} is left, and ${theirs.left}`);
      if (round > 0) [own?.push(mine), plain?.push(theirs)];
    }
    const of = (list: Fifo[] | undefined, key: 'whole' | 'compute') => median((list ?? []).map((one) => one[key]));
    const words = (list: Fifo[] | undefined) =>
      `${(of(list, 'whole') / 1000).toFixed(2)} s, of which computing ${of(list, 'compute').toFixed(0)} ms`;
    options.say(`  Curvet: ${words(own)}`);
    options.say(`  plain: ${words(plain)}`);
    const work = `FIFO rebuild of ${sizes[size].trades.toLocaleString('en')} trades`;
    const against = 'a plain loop with BigInt and pg';
    const [product, peer, note] = [
      words(own),
      words(plain),
      'what is left is the same to the wei; the list of positions is at hand, as it is in a reorganisation',
    ];
    return [
      {
        work: `${work}, loading included`,
        against,
        product,
        peer,
        value: of(plain, 'whole') / of(own, 'whole'),
        target: { at: 'least', value: 1, unit: 'times' },
        note,
      },
      {
        work: `${work}, computing alone`,
        against: 'absolute',
        product,
        peer,
        value: of(own, 'compute'),
        target: { at: 'most', value: 150, unit: 'ms' },
        note,
      },
    ];
  },
};
