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
  title: 'FIFO rebuild of 1,000,000 trades, with loading, beside a plain loop with BigInt and pg',
  explanation:
    'a quick run ends before the code is compiled; only a full run is meaningful. There the computation takes a thirtieth of that of the plain loop. The rest is the database, which sorts a million trades and returns entry text per position. Slower alternatives: a join with the pairs (0.87 of the plain loop), entry text per trade with positions in maps (0.95), separate columns, buckets of texts, an exact filter by both wallets in entry text',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const size = options.quick ? 'quick' : 'small';
    const database = await ensureData(options.server, size, options.say);
    const run = async (mode: string) =>
      JSON.parse(await runProgram([node, `${root}/dist/bench/peers/fifo.js`, database, mode])) as Fifo;
    const [service, plain]: Fifo[][] = [[], []];
    for (let round = 0; round <= options.rounds; round++) {
      const [serviceRun, plainRun] = [await run('service'), await run('plain')];
      if (!isDeepStrictEqual(serviceRun.remainder, plainRun.remainder))
        throw new Error(`the results differ: ${serviceRun.remainder} and ${plainRun.remainder}`);
      if (round > 0) [service?.push(serviceRun), plain?.push(plainRun)];
    }
    const of = (list: Fifo[] | undefined, key: 'whole' | 'compute') => median((list ?? []).map((entry) => entry[key]));
    const words = (list: Fifo[] | undefined) =>
      `${(of(list, 'whole') / 1000).toFixed(2)} s, of which computation ${of(list, 'compute').toFixed(0)} ms`;
    options.say(`  Curvet: ${words(service)}`);
    options.say(`  plain: ${words(plain)}`);
    const work = `FIFO rebuild of ${sizes[size].trades.toLocaleString('en')} trades`;
    const against = 'a plain loop with BigInt and pg';
    const [product, peer, note] = [
      words(service),
      words(plain),
      'both results agree to the wei; the list of positions is given, as in a reorg',
    ];
    return [
      {
        work: `${work}, with loading`,
        against,
        product,
        peer,
        value: of(plain, 'whole') / of(service, 'whole'),
        target: { at: 'least', value: 1, unit: 'times' },
        note,
      },
      {
        work: `${work}, computation only`,
        against: 'absolute',
        product,
        peer,
        value: of(service, 'compute'),
        target: { at: 'most', value: 150, unit: 'ms' },
        note,
      },
    ];
  },
};
