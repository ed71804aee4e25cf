// Creates the benchmark data in separate databases on the server of DATABASE_URL: `npm run bench:data -- --size
// small|large|quick` recreates curvet_bench_small and so on; `--size` can be repeated. With --keep it creates only databases
// that are missing or older than 12 hours. The API keys of all agents are derived from their numbers: see
// bench/dataset/people.ts.
import { parseArgs } from 'node:util';
import { ensureData, makeData } from './dataset/databases.js';
import { type SizeName, sizes } from './dataset/plan.js';

const { values } = parseArgs({
  options: {
    size: { type: 'string', multiple: true, default: ['small'] },
    quick: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const server = process.env.DATABASE_URL;
const wanted = values.quick ? ['quick'] : values.size;
const unknown = wanted.find((size) => !Object.hasOwn(sizes, size));
if (!server || unknown !== undefined) {
  process.stderr.write(
    server ? `bench:data: no size "${unknown}"; there are ${Object.keys(sizes).join(', ')}\n` : 'bench:data needs DATABASE_URL\n',
  );
  process.exit(1);
}
for (const size of wanted as SizeName[]) {
  const started = performance.now();
  const say = (line: string) =>
    process.stdout.write(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${size}: ${line}\n`);
  const url = await (values.keep ? ensureData : makeData)(server, size, say);
  say(`ready in the database ${new URL(url).pathname.slice(1)}`);
}
