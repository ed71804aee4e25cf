import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { documentedLines, type LogLine, logLinesIn, logLinesOf } from './support/log-lines.js';
import { root } from './support/service/process.js';

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

describe('the search for log lines', () => {
  it('finds literals, templates and both levels of a choice', () => {
    const text = `log.warn({ err: f(x, ')') }, 'it, (or)
      that'); this.log.error("two"); deps.log?.info(\`\${n} of \${all}\`); log[ok ? 'info' : 'fatal']({ reason }, 'stopping');`;
    expect(logLinesOf(text).map(({ level, message }) => `${level}: ${message.replace(/\s+/g, ' ')}`)).to.deep.equal([
      'warn: it, (or) that',
      'error: two',
      'info: … of …',
      'info: stopping',
      'fatal: stopping',
    ]);
  });

  it('refuses a message that it cannot know', () => {
    expect(() => logLinesOf('log.error({ err }, text)')).to.throw('is no literal: text');
  });
});
