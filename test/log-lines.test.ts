import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from './support/service/process.js';

type LogLine = { readonly level: string; readonly message: string };

const LEVELS = 'trace|debug|info|warn|error|fatal';
/** A call of a logger. Every logger of the source is named `log`. */
const CALL = new RegExp(`\\blog\\??\\.(${LEVELS})\\(|\\blog\\[([^\\]]*)\\]\\(`, 'g');

/** Messages that are no literals: the argument as it is written, and what the document says instead. */
const COMPUTED: Readonly<Record<string, string>> = {
  'error.message': 'the error of the answer',
  ready: 'Curvet is ready at … (…)',
  why: 'the chain contradicts the index (…); run npm run reindex…',
};
/** Values that a template inserts as whole sentences. */
const INSERTED: Readonly<Record<string, string>> = {
  warning: 'DATA_DIR: … files and directories were open to other users of this machine',
};

/** The arguments of a call, as text, from the position after its opening parenthesis. */
function argumentsAt(text: string, start: number): string[] {
  const found: string[] = [];
  let [depth, from] = [0, start];
  for (let i = start; i < text.length; i++) {
    const sign = text[i] as string;
    if (`'"\``.includes(sign)) i = endOfText(text, i);
    else if ('([{'.includes(sign)) depth++;
    else if (depth > 0 && ')]}'.includes(sign)) depth--;
    else if (depth === 0 && (sign === ',' || sign === ')')) {
      found.push(text.slice(from, i).trim());
      from = i + 1;
      if (sign === ')') return found.filter((argument) => argument !== '');
    }
  }
  throw new Error(`a call has no end: ${text.slice(start, start + 80)}`);
}

/** The position of the quote that ends the text which begins at `start`. Inserted expressions contain no quotes of its kind. */
function endOfText(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === text[start]) return i;
  }
  throw new Error(`a text has no end: ${text.slice(start, start + 80)}`);
}

/** The message of a call as the document writes it. */
function messageOf(argument: string): string {
  if (argument in COMPUTED) return COMPUTED[argument] as string;
  const literal = /^(['"`])([\s\S]*)\1$/.exec(argument)?.[2];
  if (literal === undefined) throw new Error(`the message of a log line is no literal: ${argument}`);
  return literal.replace(/\$\{([^}]*)\}/g, (_, name: string) => INSERTED[name] ?? '…');
}

/** The log lines that the source can write. */
function logLinesOf(text: string): LogLine[] {
  return [...text.matchAll(CALL)].flatMap((call) => {
    const message = messageOf(argumentsAt(text, call.index + call[0].length).at(-1) ?? '');
    // log[condition ? 'info' : 'fatal'] writes lines of both levels.
    const levels = call[1] ? [call[1]] : [...(call[2] ?? '').matchAll(/'(\w+)'/g)].map(([, level]) => level as string);
    return levels.map((level) => ({ level, message }));
  });
}

/** The log lines of all files of the source. */
const logLinesIn = (directory: string): LogLine[] =>
  globSync('**/*.ts', { cwd: directory }).flatMap((file) => logLinesOf(readFileSync(join(directory, file), 'utf8')));

/** The rows of the table in docs/operation.md. */
function documentedLines(document: string): (LogLine & { readonly meaning: string; readonly action: string })[] {
  const table = /<!-- log lines -->([\s\S]*?)<!-- end -->/.exec(document)?.[1] ?? '';
  return table
    .split('\n')
    .filter((row) => row.startsWith('| ') && !/^\| (Level|---)/.test(row) && !row.startsWith('|---'))
    .map((row) => {
      const [level = '', message = '', meaning = '', action = ''] = row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return { level, message: message.replace(/^`|`$/g, ''), meaning, action };
    });
}

const nameOf = ({ level, message }: LogLine): string => `${level} ${message}`;
const namesOf = (lines: readonly LogLine[]): string[] => [...new Set(lines.map(nameOf))].sort();

describe('docs/operation.md', () => {
  const documented = documentedLines(readFileSync(join(root, 'docs/operation.md'), 'utf8'));
  const written = logLinesIn(join(root, 'src'));

  it('lists every log line of the source, and no other', () => {
    expect(written.length).to.be.above(30);
    expect(namesOf(documented)).to.deep.equal(namesOf(written));
  });

  it('lists each line once, with meaning and action', () => {
    expect(documented.map(nameOf).sort()).to.deep.equal(namesOf(documented));
    for (const line of documented) for (const cell of Object.values(line)) expect(cell, nameOf(line)).not.to.equal('');
  });

  it('covers every logger: each is named log', () => {
    const others = globSync('**/*.ts', { cwd: join(root, 'src') }).flatMap((file) => {
      const text = readFileSync(join(root, 'src', file), 'utf8');
      return [...text.matchAll(/(\w+)\??\.(?:trace|debug|info|warn|error|fatal)\(/g)]
        .filter(([, name]) => name !== 'log')
        .map(([call]) => `${file}: ${call}`);
    });
    expect(others).to.deep.equal([]);
  });
});
