/** Matches at an index, then calls `rest` with the index after the match. Returns the end of the whole match, or -1. */
type Match = (at: number, rest: (end: number) => number) => number;
type Counter = { steps: number; readonly max: number };

/** Lookbehinds match at most this many characters. */
const LOOKBEHIND = 8;
const QUANTIFIER = /([*+?]|\{(\d+)(,?)(\d*)\})/y;
const CHARACTER = /\[(?:\\.|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|.)|./suy;
const { exec } = RegExp.prototype;

/**
 * Calls `work` and returns the steps that its regular expressions take: how often a backtracking matcher compares a
 * character. Unlike a measured time, the number is the same on every machine. Throws when there are more than `max` steps.
 * The engine matches as always; the matcher here only counts, and throws if it finds another end than the engine.
 */
export function countSteps(work: () => void, max: number): number {
  const counter: Counter = { steps: 0, max };
  const patterns = new Map<string, (text: string) => Match>();
  const counting = function (this: RegExp, text: string): RegExpExecArray | null {
    RegExp.prototype.exec = exec;
    try {
      const from = this.global || this.sticky ? this.lastIndex : 0;
      const result = exec.call(this, text);
      const pattern = patterns.get(String(this)) ?? compile(this, counter);
      patterns.set(String(this), pattern);
      const end = search(this, pattern(text), from, text.length);
      const expected = result === null ? -1 : result.index + result[0].length;
      if (end !== expected) throw new Error(`${this} ends at ${expected}, but its steps were counted up to ${end}`);
      return result;
    } finally {
      RegExp.prototype.exec = counting;
    }
  };
  RegExp.prototype.exec = counting;
  try {
    work();
  } finally {
    RegExp.prototype.exec = exec;
  }
  if (counter.steps > max) throw new Error(`more than ${max} steps`);
  return counter.steps;
}

function search({ sticky }: RegExp, match: Match, from: number, length: number): number {
  for (let at = from; at <= length; at++) {
    const end = match(at, (found) => found);
    if (end >= 0 || sticky) return end;
  }
  return -1;
}

/** Supports the syntax that the rules use: no lazy quantifiers, no back references. */
function compile({ source, flags }: RegExp, counter: Counter): (text: string) => Match {
  let text = '';
  let position = 0;
  const skip = (token: string): boolean => {
    const found = source.startsWith(token, position);
    if (found) position += token.length;
    return found;
  };
  const take = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = position;
    const found = token.exec(source);
    position += found?.[0].length ?? 0;
    return found;
  };

  const alternatives = (): Match => {
    const branches = [sequence()];
    while (skip('|')) branches.push(sequence());
    return (at, rest) => {
      for (const branch of branches) {
        const end = branch(at, rest);
        if (end >= 0) return end;
      }
      return -1;
    };
  };
  const sequence = (): Match => {
    const parts: Match[] = [];
    while (position < source.length && !'|)'.includes(source[position] ?? '')) parts.push(term());
    return parts.reduceRight<Match>(
      (next, part) => (at, rest) => part(at, (end) => next(end, rest)),
      (at, rest) => rest(at),
    );
  };
  const term = (): Match => {
    const isGroup = source[position] === '(';
    const atom = isGroup ? group() : (assertion() ?? character());
    const [, all, least, comma, most] = take(QUANTIFIER) ?? [];
    if (all === undefined) return atom;
    const min = least === undefined ? Number(all === '+') : Number(least);
    const max = least === undefined ? (all === '?' ? 1 : Infinity) : comma ? Number(most || Infinity) : min;
    return isGroup ? repeatGroup(atom, min, max) : repeatCharacter(atom, min, max);
  };
  const group = (): Match => {
    const kind = ['(?:', '(?=', '(?!', '(?<=', '(?<!', '('].find(skip);
    const inner = alternatives();
    skip(')');
    if (kind === '(' || kind === '(?:') return inner;
    const holds = (at: number): boolean => {
      if (kind === '(?=' || kind === '(?!') return inner(at, (end) => end) >= 0;
      for (let from = at; from >= Math.max(0, at - LOOKBEHIND); from--) {
        if (inner(from, (end) => (end === at ? end : -1)) >= 0) return true;
      }
      return false;
    };
    return (at, rest) => (holds(at) === !kind?.endsWith('!') ? rest(at) : -1);
  };
  const assertion = (): Match | undefined => {
    if (skip('^')) return (at, rest) => (at === 0 ? rest(at) : -1);
    if (skip('$')) return (at, rest) => (at === text.length ? rest(at) : -1);
    if (!skip('\\b')) return undefined;
    const isWord = (at: number) => /\w/.test(text[at] ?? '');
    return (at, rest) => (isWord(at - 1) !== isWord(at) ? rest(at) : -1);
  };
  const character = (): Match => {
    const one = new RegExp(`^${take(CHARACTER)?.[0]}$`, flags.replace(/[gy]/g, ''));
    const results = new Map<string, boolean>();
    const isMatch = (char: string): boolean => {
      const known = results.get(char) ?? one.test(char);
      results.set(char, known);
      return known;
    };
    return (at, rest) => {
      if (++counter.steps > counter.max) throw new Error(`more than ${counter.max} steps`);
      if (at >= text.length) return -1;
      const char = flags.includes('u') ? String.fromCodePoint(text.codePointAt(at) ?? 0) : (text[at] ?? '');
      return isMatch(char) ? rest(at + char.length) : -1;
    };
  };
  const match = alternatives();
  return (given) => {
    text = given;
    return match;
  };
}

/** A loop, because a recursion over a long text would overflow the stack. */
function repeatCharacter(atom: Match, min: number, max: number): Match {
  return (at, rest) => {
    const ends = [at];
    for (let end = at; ends.length <= max; ends.push(end)) {
      end = atom(end, (next) => next);
      if (end < 0) break;
    }
    for (let count = ends.length - 1; count >= min; count--) {
      const end = rest(ends[count] ?? 0);
      if (end >= 0) return end;
    }
    return -1;
  };
}

function repeatGroup(atom: Match, min: number, max: number, count = 0): Match {
  return (at, rest) => {
    const more = repeatGroup(atom, min, max, count + 1);
    const end = count < max ? atom(at, (next) => (next === at ? -1 : more(next, rest))) : -1;
    if (end >= 0) return end;
    return count >= min ? rest(at) : -1;
  };
}
