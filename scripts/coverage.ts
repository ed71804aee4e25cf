/** The coverage of lines and of branches must be above this, in every file and in all together. */
export const MIN_COVERAGE = 95;

/** What a table of `forge coverage --report summary` shows that is not enough: a line for each row, whatever is in it. */
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

/** Of a cell such as "99.10% (110/111)"; NaN, which is above nothing, if it is none. */
function percentage(cell: string | undefined): number {
  return Number(/^([\d.]+)% \(\d+\/\d+\)$/.exec(cell ?? '')?.[1]);
}
