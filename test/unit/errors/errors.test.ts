import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { adviceTable } from '../../../src/errors/advice.js';
import { AppError, type ErrorCode, errorTable } from '../../../src/errors/errors.js';
import { root } from '../../support/service/process.js';

const rows = Object.entries(errorTable) as [ErrorCode, readonly [number, string, string]][];
const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((file) => ({ path: relative(root, file), text: readFileSync(file, 'utf8') }));
/** Every `new AppError('CODE', {...})` in the source, with the text of its parameters. Parameters in a variable are not found. */
const sites = sources.flatMap(({ path, text }) =>
  [...text.matchAll(/new AppError\(\s*'(\w+)'\s*(?:\)|,\s*\{([^{}]*)\})/g)].map(([, code, given = '']) => ({
    path,
    code,
    given,
  })),
);

describe('the example proxy', () => {
  it('answers its own errors with the codes and messages of the error table', () => {
    const answers = readFileSync(join(root, 'deploy/nginx.conf'), 'utf8').match(/(?<=return \d{3} ')\{.*\}(?=')/g) ?? [];
    expect(answers).to.have.length(5);
    for (const answer of answers) {
      const { error, code } = JSON.parse(answer);
      expect(errorTable[code as ErrorCode]?.[1], answer).to.equal(error);
    }
  });
});

describe('the error table', () => {
  for (const [code, [status, message, hint]] of rows) {
    it(`has a status, a message of one line and a hint for ${code}`, () => {
      expect(code).to.match(/^[A-Z][A-Z_]+$/);
      expect(status).to.satisfy((s: number) => Number.isInteger(s) && s >= 400 && s <= 599);
      expect(message).to.match(/^[A-Za-z<][^\n]*[^.\s]$/);
      expect(hint).to.match(/^[A-Z][^\n]*\.$/);
    });
  }

  it('has a unique pair of status and message in each row', () => {
    const messages = rows.map(([, [status, message]]) => `${status} ${message}`);
    expect(new Set(messages).size).to.equal(messages.length);
  });

  it('gets every parameter of its texts wherever an AppError is created', () => {
    expect(sites.length).to.be.above(10);
    for (const { path, code, given } of sites.filter((site) => !site.given.includes('...'))) {
      const texts = errorTable[code as ErrorCode].join(' ');
      const names = given.split(',').map((part) => part.trim().split(/[:\s(]/)[0]);
      const lacking = [...texts.matchAll(/<(\w+)>/g)].filter(([, name]) => !names.includes(name));
      expect(lacking.map(String), `${path}: ${code}`).to.deep.equal([]);
    }
  });
});

describe('the hints for specific causes', () => {
  for (const [advice, hint] of Object.entries(adviceTable)) {
    it(`include at least one sentence for ${advice}, which the source uses`, () => {
      expect(hint).to.match(/^[A-Z][^\n]*\.$/);
      expect(sources.some(({ path, text }) => path !== 'src/errors/advice.ts' && text.includes(`'${advice}'`))).to.equal(true);
    });
  }
});

describe('AppError', () => {
  for (const [title, error, expected] of [
    [
      'fills message and hint with its parameters',
      new AppError('FIELD_TOO_LONG', { field: 'bio', max: 200 }),
      { status: 400, message: 'bio is too long', hint: 'Shorten bio to at most 200 characters.' },
    ],
    [
      'inserts a parameter literally, including replacement patterns',
      new AppError('MISSING_FIELD', { field: '$& <max> $1' }),
      { message: 'Missing required field: $& <max> $1' },
    ],
    [
      'does not read parameters from Object.prototype',
      new AppError('INVALID_FIELD', { field: 'constructor', expected: 'toString' }),
      { hint: 'Send constructor as toString.' },
    ],
    [
      'has the hint for a specific cause instead of that of its row',
      new AppError('NOT_REGISTERED_ON_CHAIN', { onChainName: 'Scout' }, { advice: 'REGISTERED_AS' }),
      {
        status: 422,
        message: 'On-chain registration not found',
        hint: 'The wallet is registered on the chain as "Scout". That name cannot change: register with exactly this name.',
      },
    ],
  ] as const) {
    it(title, () => expect(error).to.include(expected));
  }

  it('sets retryAfter from the limit for 429, to 5 s for 503, 60 s for the verifier and 1 s for a running request', () => {
    for (const [code, [status]] of rows) {
      const { retryAfter } = new AppError(code, { seconds: 17 });
      const soon = code === 'VERIFIER_UNAVAILABLE' ? 60 : 5;
      const other = code === 'REQUEST_IN_PROGRESS' ? 1 : undefined;
      expect(retryAfter, code).to.equal(status === 429 ? 17 : status === 503 ? soon : other);
    }
  });

  it('keeps its cause for the log', () => {
    const cause = new Error('why');
    expect(new AppError('INTERNAL', {}, { cause }).cause).to.equal(cause);
  });
});
