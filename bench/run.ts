// Measures the service and its peers: `npm run bench`, see bench/README.md. The figures are stored in bench/results.json, so
// that rows can be measured separately; results.md and chart.svg are generated from it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rows } from './rows/all.js';
import { chart } from './support/chart.js';
import { root } from './support/product.js';
import { markdown, type Results, table } from './support/report.js';
import type { Line, Options, Row } from './support/result.js';
import { combine } from './support/runs.js';
import { node, pin, pinned } from './support/servers.js';

const { values } = parseArgs({
  options: {
    list: { type: 'boolean', default: false },
    /** Names of rows (benchmarks), comma-separated. Default: all. Results of other rows are not changed. */
    rows: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    /** Number of complete runs, whose medians and spread are stored. @default 1 */
    runs: { type: 'string', default: '1' },
    quick: { type: 'boolean', default: false },
    /** Prints the results without writing the files. */
    'no-write': { type: 'boolean', default: false },
  },
});
const fail = (line: string): never => {
  process.stderr.write(`bench: ${line}\n`);
  process.exit(1);
};

if (values.list) {
  for (const row of rows) process.stdout.write(`${row.name.padEnd(16)} ${row.title}\n`);
  process.exit();
}
const server = process.env.DATABASE_URL || fail('needs DATABASE_URL');
const measurable = rows.filter(({ needsAllData }) => !values.quick || !needsAllData);
const names = values.rows?.split(',') ?? measurable.map(({ name }) => name);
const chosen = names.map(
  (name) =>
    measurable.find((row) => row.name === name) ??
    fail(`no row "${name}"${values.quick ? ' that --quick measures' : ''}; see --list`),
);
const bench = join(root, 'bench');

if (!existsSync(join(bench, 'node_modules'))) {
  process.stdout.write('installing the peers\n');
  const installed = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: bench,
    stdio: 'inherit',
  });
  if (installed.status !== 0) fail('npm ci in bench/ failed');
}

pin(process.pid, 1);
const options: Options = {
  server,
  rounds: Number(values.rounds ?? (values.quick ? 2 : 5)),
  seconds: Number(values.seconds ?? (values.quick ? 2 : 5)),
  quick: values.quick,
  say: (line) => process.stdout.write(`${line}\n`),
};
const file = join(bench, 'results.json');
const stored: Results['rows'] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).rows : {};
const measured: Record<string, Results['rows'][string]> = { ...stored };
const runs = new Map<string, Line[][]>();
const failures: string[] = [];
for (let run = 1; run <= Number(values.runs); run++) {
  for (const row of chosen) await measureRow(row);
}
const lines = [...runs.values()].flatMap(combine);
process.stdout.write(`\n${table(lines)}\n`);
if (failures.length > 0) fail(`failed: ${failures.join(', ')}`);

async function measureRow(row: Row): Promise<void> {
  options.say(`${row.name}: ${row.title}`);
  try {
    const found = (await row.measure(options)).map((line) => ({ row: row.name, ...line }));
    const all = [...(runs.get(row.name) ?? []), found];
    runs.set(row.name, all);
    const at = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    const { quick, rounds, seconds } = options;
    measured[row.name] = { at, processor: processor(), quick, rounds, seconds, runs: all.length, lines: combine(all) };
    if (!values['no-write']) write();
  } catch (error) {
    failures.push(row.name);
    process.stderr.write(`${row.name} failed: ${error instanceof Error ? error.stack : error}\n`);
  }
}

/** Writes the results. It is called after each row, so that an interrupted run does not lose the rows before. */
function write(): void {
  const results: Results = { rows: measured, machine: machine(), versions: versions() };
  const order = rows.map(({ name }) => name);
  // For each row, the reason why it may miss a target.
  const limits = new Map(rows.flatMap(({ name, explanation: limit }) => (limit === undefined ? [] : [[name, limit] as const])));
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(join(bench, 'results.md'), markdown(results, order, limits));
  writeFileSync(join(bench, 'chart.svg'), chart(order.flatMap((name) => measured[name]?.lines ?? [])));
}

function processor(): string {
  return cpus()[0]?.model.trim() ?? 'unknown';
}

function machine(): string {
  const where = pinned ? 'servers pinned to the first core, load and database to the second' : 'nothing pinned to a core';
  return `${cpus().length} cores (${processor()}), ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform}; ${where}`;
}

function versions(): Record<string, string> {
  const packageOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { dependencies, devDependencies } = packageOf(root);
  const peers: Record<string, string> = { ...dependencies, ...devDependencies, ...packageOf(bench).devDependencies };
  const shown = ['fastify', 'postgraphile', '@apollo/server', 'type-graphql', 'ponder', 'koa'];
  const postgres = spawnSync('psql', [server, '-Atc', 'show server_version'], { encoding: 'utf8' }).stdout?.trim();
  return {
    Node: spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1),
    ...(postgres ? { PostgreSQL: postgres.split(' ')[0] as string } : {}),
    ...Object.fromEntries(shown.flatMap((name) => (peers[name] ? [[name, peers[name]]] : []))),
  };
}
