import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { AppError } from '../../../src/errors.js';
import { depthOf, readBytes, readText } from '../../../src/server/http/body.js';

describe('the request body', () => {
  /** A request of which these parts have arrived. */
  function request(parts: readonly (string | readonly number[])[], isComplete = true): IncomingMessage {
    const stream = new PassThrough();
    for (const part of parts) stream.write(typeof part === 'string' ? part : Buffer.from(part));
    return (isComplete ? stream.end() : stream) as unknown as IncomingMessage;
  }

  const codeOf = (read: Promise<Buffer | string>): Promise<unknown> =>
    read.then(String, (error: unknown) => (error instanceof AppError ? error.code : error));

  it('is read completely when it arrives in parts, and may be empty', async () => {
    expect(await codeOf(readBytes(request(['ab', 'cd', 'ef']), 6))).to.equal('abcdef');
    expect(await codeOf(readBytes(request([]), 6))).to.equal('');
  });

  it('is refused as JSON if it is not UTF-8, however it is cut into parts', async () => {
    expect(await codeOf(readText(request([[0xc3], [0xa9]]), 20))).to.equal('é');
    for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xc3]]) {
      expect(await codeOf(readText(request(['a', bytes]), 20)), String(bytes)).to.equal('INVALID_JSON');
    }
  });

  it('is refused as soon as it exceeds the limit', async () => {
    expect(await codeOf(readBytes(request(['abcdefg'], false), 6))).to.equal('BODY_TOO_LARGE');
  });

  it('is refused as invalid JSON when the connection closes early, or is already closed', async () => {
    const cut = request(['abc'], false);
    const read = codeOf(readBytes(cut, 100));
    cut.destroy();
    expect(await read).to.equal('INVALID_JSON');
    expect(await codeOf(readBytes(cut, 100))).to.equal('INVALID_JSON');
  });

  it('is as deep as its nested brackets, except brackets in strings', () => {
    for (const [json, depth] of [
      ['1', 0],
      ['{"a":[{}],"b":[]}', 3],
      ['["[[[", {}]', 2],
      ['["\\"[[["]', 1],
      ['["\\\\", [[]]]', 3],
      ['{"{{":"}}"}', 1],
    ] as const) {
      expect(depthOf(json), json).to.equal(depth);
    }
  });
});
