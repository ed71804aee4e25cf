import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { AppError } from '../../../../src/errors/errors.js';
import { depthOf, readBytes, readText } from '../../../../src/server/http/body.js';
import type { Json } from '../../../support/service/graphql.js';
import { talk } from '../../../support/service/raw-requests.js';
import { useWorld } from '../../../support/world.js';

describe('the request body', () => {
  /** A request whose body has arrived in these parts. If `isComplete` is false, the end of the body is still to come. */
  function request(parts: readonly (string | readonly number[])[], isComplete = true): IncomingMessage {
    const stream = new PassThrough();
    for (const part of parts) stream.write(typeof part === 'string' ? part : Buffer.from(part));
    return (isComplete ? stream.end() : stream) as unknown as IncomingMessage;
  }

  const codeOf = (read: Promise<Buffer | string>): Promise<unknown> =>
    read.then(String, (error: unknown) => (error instanceof AppError ? error.code : error));

  it('may be cut inside a UTF-8 character, and is refused as invalid JSON if it is not UTF-8', async () => {
    expect(await codeOf(readText(request([[0xc3], [0xa9]]), 20))).to.equal('é');
    for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xc3]]) {
      expect(await codeOf(readText(request(['a', bytes]), 20)), String(bytes)).to.equal('INVALID_JSON');
    }
  });

  it('is refused as soon as it exceeds the limit, and accepted if it is empty or exactly as long', async () => {
    for (const parts of [[], ['ab', 'cd', 'ef']]) {
      expect(await codeOf(readBytes(request(parts), 6))).to.equal(parts.join(''));
    }
    expect(await codeOf(readBytes(request(['abcdefg'], false), 6))).to.equal('BODY_TOO_LARGE');
  });

  it('is refused as invalid JSON when the connection closes early, or is already closed', async () => {
    const cut = request(['abc'], false);
    const read = codeOf(readBytes(cut, 100));
    cut.destroy();
    expect(await read).to.equal('INVALID_JSON');
    expect(await codeOf(readBytes(cut, 100))).to.equal('INVALID_JSON');
  });

  it('has the depth of its nested brackets, without those in strings', () => {
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

describe('a raw request', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const get = (path: string, ...headers: string[]) => [`GET ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');

  it('gets an answer that closes the connection only if its body is unread or it asks for the close', async () => {
    for (const path of ['/health', '/api/agents', '/docs']) {
      const endless = await talk(world.url, `${get(path, 'Transfer-Encoding: chunked')}1\r\nx\r\n`);
      expect(endless, path)
        .to.match(/^HTTP\/1\.1 200 /)
        .and.match(/\r\nConnection: close\r\n/);
      // The second answer comes from the cache. The last request asks the server to close the connection.
      const thrice = await talk(world.url, get(path) + get(path) + get(path, 'Connection: close'));
      const closes = thrice.split('HTTP/1.1 200 ').map((answer) => answer.includes('\r\nConnection: close\r\n'));
      expect(closes.slice(1), path).to.deep.equal([false, false, true]);
    }
  });

  it('is answered with 400 when the URL is invalid', async () => {
    const answer = await talk(world.url, get('http://[/health', 'Connection: close'));
    expect(answer)
      .to.match(/^HTTP\/1\.1 400 /)
      .and.to.include('Malformed request');
  });

  it('is answered with 400 when a text contains a lone surrogate', async () => {
    const answer = await world.ask('POST', '/api/agents', { body: '{"name":"a\\ud800b","walletAddress":"0x"}' });
    expect([answer.status, answer.body.error]).to.deep.equal([400, 'name contains invalid characters']);
  });

  it('is refused with a hint that fits its body, which is an array, other JSON or no JSON', async () => {
    const hintOf = async (path: string, body: string) => {
      const answer = await world.ask('POST', path, { body });
      const [error] = (answer.body.errors ?? []) as Json[];
      const found = error ? { error: error.message, ...error.extensions } : answer.body;
      expect([answer.status, found.error, found.code], `${path} ${body}`).to.deep.equal([400, 'Invalid JSON body', 'INVALID_JSON']);
      return found.hint;
    };
    for (const path of ['/graphql', '/api/agents', '/api/agents/verify', '/mcp']) {
      for (const body of ['[]', '[{"query":"{ __typename }"},{"query":"{ __typename }"}]']) {
        expect(await hintOf(path, body), path).to.match(/^The body is a JSON array\. The service takes no batches: /);
      }
      for (const body of ['1', 'null', '"{}"', 'true']) {
        expect(await hintOf(path, body), path).to.equal('The body is valid JSON, but no object: send one JSON object.');
      }
      expect(await hintOf(path, '{'), path).to.match(/^Send one JSON object with Content-Type: /);
    }
  });

  it('causes no error in the log when the connection closes in the middle of its body', async () => {
    await talk(world.url, 'POST /api/agents HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a"', { ends: true });
    await world.ask('GET', '/health');
    expect(world.logged.filter(({ level }) => Number(level) >= 50)).to.deep.equal([]);
  });
});
