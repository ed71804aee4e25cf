import { readFileSync } from 'node:fs';

/**
 * Marks in the first line of a test file, such as `// Nightly: it kills processes.` or `// Server, CI: <reason>.`
 * - `CI`: runs in `.ci/run` and at night, but not in `npm test`, because it starts programs or a browser, or takes several seconds.
 * - `Nightly`: runs at night only, because it needs real time, many processes or much load.
 * - `Server`: behaves differently on PostgreSQL and Redis, so `.ci/run` runs it a second time on those.
 */
export const MARKS = ['CI', 'Nightly', 'Server'] as const;
export type Mark = (typeof MARKS)[number];

const FIRST_LINE = new RegExp(`^// ((?:${MARKS.join('|')})(?:, (?:${MARKS.join('|')}))*): \\S.*\\.$`, 'm');

/** The marks of a test file. Throws if its first line looks like a mark, but is not a valid one. */
export function marksOf(path: string): readonly Mark[] {
  const line = readFileSync(path, 'utf8').split('\n', 1)[0] ?? '';
  const found = FIRST_LINE.exec(line)?.[1];
  if (found === undefined && /^\/\/ (\w+)(, \w+)*:/.test(line)) throw new Error(`${path}: no mark is "${line}"`);
  return (found?.split(', ') ?? []) as Mark[];
}

/** Which test files a tier runs, by their marks. */
export const tiers = {
  quick: (marks: readonly Mark[]) => !marks.includes('CI') && !marks.includes('Nightly'),
  ci: (marks: readonly Mark[]) => !marks.includes('Nightly'),
  server: (marks: readonly Mark[]) => marks.includes('Server') && !marks.includes('Nightly'),
  all: () => true,
} as const;
export type Tier = keyof typeof tiers;
