/** Lower bound for line and branch coverage, in percent, of each file and in total. The coverage must be above it. */
export const MIN_COVERAGE = 95;

/** Rows of a `forge coverage --report summary` table that are below the bound, one line for each. */
export function coverageProblems(report: string): string[] {
  const rows = report
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, name, lines]) => name !== undefined && lines !== undefined && !/^[-=+\s]*$|^File$/.test(name));
  const problems = rows.flatMap(([, name, lines, , branches]) =>
    [percentage(lines), percentage(branches)].every((covered) => covered > MIN_COVERAGE)
      ? []
      : [`${name}: ${lines} of lines and ${branches} of branches are covered, not above ${MIN_COVERAGE} %`],
  );
  if (!rows.some(([, name]) => name?.startsWith('contracts/'))) problems.push('the coverage shows no contract');
  if (!rows.some(([, name]) => name === 'Total')) problems.push('the coverage shows no total');
  return problems;
}

/** Percentage of a cell such as "99.10% (110/111)". NaN, which fails every comparison, if it has another form. */
function percentage(cell: string | undefined): number {
  return Number(/^([\d.]+)% \(\d+\/\d+\)$/.exec(cell ?? '')?.[1]);
}
