/** One change of one line of a contract, which the tests should notice. */
export type Mutant = { readonly file: string; readonly line: number; readonly from: string; readonly to: string };

/** A change of a part of a line. `pattern` is global: each match makes a mutant. */
type Operator = { readonly pattern: RegExp; readonly replace: (match: RegExpMatchArray) => string };

/** Operators with spaces around them, as the formatter of the contracts writes them. */
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

/** Lines whose code is not executed, or whose change is no change of behaviour. */
const SKIPPED =
  /^\s*(?:\/\/|import |pragma |using |library |contract |abstract |struct |modifier |function |mapping|error |$)/;
/** Matches a complete statement, which a mutant deletes. Declarations stay, since their names are used. */
const STATEMENT =
  /^\s*(?![\s(}])(?!return|revert|uint|address |bytes|string|bool|for |while |else|Market |FeeUpdate |Registration ).*;$/;

/** All mutants of a contract. `source` is its text. */
export function mutantsOf(file: string, source: string): Mutant[] {
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

/** A header of one line can contain modifiers, the only part of it that changes the behaviour. */
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

/** Text of a contract with the mutant's change. */
export function mutate(source: string, mutant: Mutant): string {
  return source
    .split('\n')
    .map((text, i) => (i + 1 === mutant.line ? mutant.to : text))
    .join('\n');
}
