import { reached, shown, shownTarget } from './figures.js';
import type { Line } from './result.js';

/** The results as they are kept: where and when each row was measured. */
export type Results = {
  readonly rows: Readonly<
    Record<
      string,
      {
        readonly at: string;
        readonly quick: boolean;
        readonly rounds?: number;
        readonly seconds: number;
        readonly lines: readonly Line[];
      }
    >
  >;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
};

export const verdict = (line: Line): string => (reached(line.value, line.target) ? 'reached' : 'missed');

/** For the terminal. */
export function table(lines: readonly Line[]): string {
  const cells = lines.map((line) => [
    line.work.replaceAll('`', ''),
    line.against,
    shown(line.value, line.target.unit),
    shownTarget(line.target),
    verdict(line),
  ]);
  const all = [['Work', 'Against', 'Measured', 'Target', ''], ...cells];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** bench/results.md, in the order of the rows. */
export function markdown(results: Results, order: readonly string[], limits: ReadonlyMap<string, string>): string {
  const known = order.flatMap((name) => {
    const row = results.rows[name];
    return row ? [{ name, ...row }] : [];
  });
  const lines = known.flatMap((row) => row.lines);
  const missed = known.filter((row) => row.lines.some((line) => verdict(line) === 'missed'));
  const versions = Object.entries(results.versions).map(([name, version]) => `${name} ${version}`);
  const cell = (text: string) => text.replaceAll('|', '\\|') || ' ';
  return `# Results

Made by \`npm run bench\`; see [README.md](README.md) for how. ${results.machine}. ${versions.join(', ')}.

${lines.filter((line) => verdict(line) === 'reached').length} of ${lines.length} targets are reached.

| Work | Against | Measured | Target | | Curvet | Peer | Note |
|---|---|---|---|---|---|---|---|
${lines
  .map((line) =>
    [
      line.work,
      line.against,
      `**${shown(line.value, line.target.unit)}**`,
      shownTarget(line.target),
      verdict(line),
      line.product,
      line.peer,
      line.note,
    ]
      .map((text) => ` ${cell(text)} `)
      .join('|'),
  )
  .map((row) => `|${row}|`)
  .join('\n')}

## When

| Row | At | |
|---|---|---|
${known.map((row) => `| ${row.name} | ${row.at} | ${row.quick ? 'on little data' : 'on all data'}${row.rounds === undefined ? '' : `, ${row.rounds} rounds of ${row.seconds} s`} |`).join('\n')}
${
  missed.length === 0
    ? ''
    : `
## What is missed, and why

${missed.map(({ name }) => `- **${name}**: ${limits.get(name) ?? 'not known yet'}`).join('\n')}
`
}`;
}
