// Tests the contract's tests: makes mutants of the contract, one change each, and runs forge on each. A mutant that no test
// notices survives. contracts/equivalent-mutants.json lists the mutants that cannot be noticed, with the reason.
//   npm run test:mutants                 all mutants
//   npm run test:mutants -- fee          those whose line contains the text
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './compile.js';
import { runForge } from './forge.js';

/** One change of one line of a contract. At least one test should fail because of it. */
type Mutant = { readonly file: string; readonly line: number; readonly from: string; readonly to: string };
type Equivalent = { readonly file: string; readonly from: string; readonly to: string; readonly reason: string };
type Outcome = 'killed' | 'survived' | 'invalid';
/** A kind of change of a part of a line. `pattern` is global, and each of its matches makes a mutant. */
type Operator = { readonly pattern: RegExp; readonly replace: (match: RegExpMatchArray) => string };

const FILES = ['AgentName.sol', 'BondingCurve.sol', 'TicketBook.sol', 'TicketMarket.sol'];
const LISTED = 'contracts/equivalent-mutants.json';
/**
 * Number of runs. They are fewer than in `npm run test:contracts`, without the optimizer, because most mutants fail in the first
 * run of a test. An unchanged contract takes 10 seconds. A mutant that survives is tried a second time with more runs.
 */
const QUICK = { FOUNDRY_FUZZ_RUNS: '30', FOUNDRY_INVARIANT_RUNS: '3' };
const THOROUGH = { FOUNDRY_FUZZ_RUNS: '300', FOUNDRY_INVARIANT_RUNS: '40' };
/** A mutant with an endless loop runs out of gas, which fails its test. forge's own limit would let it run for hours. */
const GAS_LIMIT = '2000000000';

/** Binary operators with their replacements. The formatter of the contracts writes them with spaces around them. */
const BINARY: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '==': '!=',
  '!=': '==',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
  '&': '|',
  '|': '&',
  '^': '&',
  '<<': '>>',
  '+=': '-=',
  '-=': '+=',
};

/**
 * Names of values with the same type that a developer can confuse. A name that follows a type is a declaration and is
 * not changed.
 */
const CONFUSED: Readonly<Record<string, string>> = {
  protocolFee: 'agentFee',
  agentFee: 'protocolFee',
  protocolBps: 'agentBps',
  agentBps: 'protocolBps',
  _protocolBps: '_agentBps',
  _agentBps: '_protocolBps',
  'msg.sender': 'address(this)',
  'block.timestamp': '(block.timestamp - 1)',
};

const escaped = (text: string) => text.replace(/[.|*+^$()]/g, '\\$&');
const oneOf = (words: Readonly<Record<string, string>>) => Object.keys(words).map(escaped).join('|');

const operators: readonly Operator[] = [
  { pattern: new RegExp(` (${oneOf(BINARY)}) `, 'g'), replace: ([, sign = '']) => ` ${BINARY[sign]} ` },
  { pattern: /\+\+/g, replace: () => '--' },
  // Replaces an integer by the next one. The base of a power is not changed.
  {
    pattern: /(?<![\w.])\d[\d_]*(?![\w.]| \*\*)/g,
    replace: ([digits]) => String(Number(digits.replaceAll('_', '')) + 1),
  },
  { pattern: /(?<![\w.])0\.001\b/g, replace: () => '0.002' },
  { pattern: /\b0x([0-9a-f]{2})\b/g, replace: ([, digits]) => `0x${(Number(`0x${digits}`) + 1).toString(16)}` },
  {
    pattern: new RegExp(`(?<!(?:uint256|uint16) )(?<![\\w.])(?:${oneOf(CONFUSED)})(?![\\w(:])`, 'g'),
    replace: ([name]) => CONFUSED[name] ?? name,
  },
  { pattern: / (?:nonReentrant|whenNotPaused|onlyOwner|until\(deadline\))/g, replace: () => '' },
  { pattern: /(\w+|\([^()]*\))\.toUint(\d+)\(\)/g, replace: ([, value, bits]) => `uint${bits}(${value})` },
  { pattern: /\? (.+?) : (.+?);/g, replace: ([, yes, no]) => `? ${no} : ${yes};` },
];

/** Lines that are not mutated: their code is not executed, or a change of it does not change the behaviour. */
const SKIPPED = /^\s*(?:\/\/|import |pragma |using |library |contract |abstract |struct |modifier |function |mapping|error |$)/;
/** Matches a complete statement, which a mutant deletes. Declarations are not deleted, because other lines use their names. */
const STATEMENT =
  /^\s*(?![\s(}])(?!return|revert|uint|address |bytes|string|bool|for |while |else|Market |FeeUpdate |Registration ).*;$/;

/** All mutants of a contract. `source` is its text. */
function mutantsOf(file: string, source: string): Mutant[] {
  const lines = source.split('\n');
  return lines.flatMap((text, i) => {
    if (SKIPPED.test(text)) return modifiersOf(text).map((to) => ({ file, line: i + 1, from: text, to }));
    const code = text.replace(/\s*\/\/.*$/, '');
    const changed = new Set(operators.flatMap((operator) => applications(operator, code)));
    if (STATEMENT.test(code) && startsStatement(lines, i)) changed.add('');
    changed.delete(code);
    return [...changed].map((to) => ({ file, line: i + 1, from: text, to }));
  });
}

/** Mutants of a function's header in one line. They remove modifiers, the only part of it that changes the behaviour. */
function modifiersOf(text: string): string[] {
  const modifier: Operator = { pattern: / (?:nonReentrant|whenNotPaused|onlyOwner)/g, replace: () => '' };
  return /^\s*function /.test(text) ? applications(modifier, text) : [];
}

function applications({ pattern, replace }: Operator, code: string): string[] {
  return [...code.matchAll(pattern)].map(
    (match) => code.slice(0, match.index) + replace(match) + code.slice(match.index + match[0].length),
  );
}

/** Whether a statement begins in this line. False for the later lines of a statement. */
function startsStatement(lines: readonly string[], index: number): boolean {
  const before = lines.slice(0, index).findLast((line) => line.trim() !== '' && !/^\s*\/\//.test(line)) ?? '';
  return /[;{}]\s*(?:\/\/.*)?$/.test(before);
}

const directory = mkdtempSync(join(tmpdir(), 'curvet-mutants-'));
const pathOf = (file: string) => `${directory}/contracts/${file}`;
const keyOf = ({ file, from, to }: Pick<Mutant, 'file' | 'from' | 'to'>) => [file, from.trim(), to.trim()].join('\n');

/** Copies the contracts into a temporary directory, where mutants replace the originals. */
function copyContracts(): void {
  const generated = ['out', 'cache'].map((name) => `${root}contracts/${name}`);
  const filter = (path: string) => !generated.includes(path);
  cpSync(`${root}contracts`, `${directory}/contracts`, { recursive: true, filter });
  cpSync(`${root}test/vectors`, `${directory}/test/vectors`, { recursive: true });
  for (const name of ['node_modules', 'bin', 'package.json']) symlinkSync(root + name, `${directory}/${name}`);
}

/** Runs the tests on one thread until the first failure. */
function test(runs: Readonly<Record<string, string>>): Outcome {
  const env = { FOUNDRY_DENY: 'never', FOUNDRY_OPTIMIZER: 'false', FOUNDRY_GAS_LIMIT: GAS_LIMIT, ...runs };
  const run = runForge(['test', '--fail-fast', '--threads', '1'], { root: directory, stdio: 'pipe', env });
  if (run.status === 0) return 'survived';
  if (run.status === null) throw new Error(`forge was ended by ${run.signal}`);
  return /Compiler run failed/.test(`${run.stdout}${run.stderr}`) ? 'invalid' : 'killed';
}

function outcomeOf({ file, line, to }: Mutant): Outcome {
  const source = readFileSync(pathOf(file), 'utf8');
  writeFileSync(
    pathOf(file),
    source
      .split('\n')
      .with(line - 1, to)
      .join('\n'),
  );
  try {
    const outcome = test(QUICK);
    return outcome === 'survived' ? test(THOROUGH) : outcome;
  } finally {
    writeFileSync(pathOf(file), source);
  }
}

/** Tests the mutants and prints the survivors. Returns the number of problems. */
function testMutants(mutants: readonly Mutant[], listed: ReadonlySet<string>): number {
  const count = { killed: 0, survived: 0, invalid: 0 };
  let problems = 0;
  for (const mutant of mutants) {
    const isListed = listed.has(keyOf(mutant));
    const outcome = outcomeOf(mutant);
    count[outcome]++;
    if ((outcome === 'survived') === isListed) continue;
    problems++;
    const { file, line, from, to } = mutant;
    const what = isListed ? `listed in ${LISTED}, but ${outcome}` : 'survived';
    process.stdout.write(`${what}: contracts/${file}:${line}\n    - ${from.trim()}\n    + ${to.trim()}\n`);
  }
  const parts = Object.entries(count).map(([name, number]) => `${number} ${name}`);
  process.stdout.write(`${mutants.length} mutants: ${parts.join(', ')}, ${problems} unexplained\n`);
  return problems;
}

try {
  copyContracts();
  const all = FILES.flatMap((file) => mutantsOf(file, readFileSync(pathOf(file), 'utf8')));
  const equivalents = JSON.parse(readFileSync(root + LISTED, 'utf8')) as Equivalent[];
  const made = new Set(all.map(keyOf));
  const stale = equivalents.filter((entry) => !made.has(keyOf(entry)));
  if (stale.length > 0) throw new Error(`${LISTED} has entries of no mutant:\n${stale.map(keyOf).join('\n\n')}`);
  const words = process.argv.slice(2);
  const mutants = all.filter(({ from }) => words.every((word) => from.includes(word)));
  if (mutants.length === 0) throw new Error('no mutants are chosen');
  if (test(QUICK) !== 'survived') throw new Error('the tests fail without a mutant');
  if (testMutants(mutants, new Set(equivalents.map(keyOf))) > 0) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}
