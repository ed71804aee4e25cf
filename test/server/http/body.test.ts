import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { AppError } from '../../../src/errors.js';
import { depthOf, readBytes, readText } from '../../../src/server/http/body.js';
import { listen } from '../../support/service/listen.js';

describe('the request body', () => {
  const server = createServer();
  before(() => listen(server));
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Sends only the head of a request. Returns the request and its connection. */
  async function begun(length: number) {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    const asked = once(server, 'request') as Promise<[IncomingMessage]>;
    socket.write(`POST / HTTP/1.1\r\nhost: here\r\ncontent-length: ${length}\r\n\r\n`);
    const [req] = await asked;
    return { socket, req };
  }

  /** Sends the parts one by one, each when the one before has arrived. */
  async function sendParts({ socket, req }: Awaited<ReturnType<typeof begun>>, parts: readonly (string | Buffer)[]) {
    for (const part of parts) {
      const arrived = once(req, 'data');
      socket.write(part);
      await arrived;
    }
  }

  const codeOf = (read: Promise<Buffer | string>): Promise<unknown> =>
    read.then(String, (error: unknown) => (error instanceof AppError ? error.code : error));

  it('is read completely when it arrives in parts', async () => {
    const upload = await begun(6);
    const read = codeOf(readBytes(upload.req, 6));
    await sendParts(upload, ['ab', 'cd', 'ef']);
    expect(await read).to.equal('abcdef');
    upload.socket.destroy();
  });

  it('may be empty', async () => {
    const { socket, req } = await begun(0);
    expect(await codeOf(readBytes(req, 6))).to.equal('');
    socket.destroy();
  });

  it('is refused as JSON if it is not UTF-8, however it is cut into parts', async () => {
    const sent = async (...parts: Buffer[]) => {
      const upload = await begun(Buffer.concat(parts).length);
      const read = codeOf(readText(upload.req, 20));
      await sendParts(upload, parts);
      upload.socket.destroy();
      return read;
    };
    expect(await sent(Buffer.from([0xc3]), Buffer.from([0xa9]))).to.equal('é');
    for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xc3]]) {
      expect(await sent(Buffer.from('a'), Buffer.from(bytes)), String(bytes)).to.equal('INVALID_JSON');
    }
  });

  it('is refused as soon as it exceeds the limit', async () => {
    const { socket, req } = await begun(100);
    const read = codeOf(readBytes(req, 6));
    socket.write('abcdefg');
    expect(await read).to.equal('BODY_TOO_LARGE');
    socket.destroy();
  });

  it('is refused as invalid JSON when the connection closes early', async () => {
    const { socket, req } = await begun(100);
    const read = codeOf(readBytes(req, 100));
    socket.write('abc');
    socket.destroy();
    expect(await read).to.equal('INVALID_JSON');
  });

  it('is refused immediately when the connection is already closed', async () => {
    const { socket, req } = await begun(100);
    const gone = new Promise((resolve) => req.once('close', resolve));
    socket.destroy();
    await gone;
    expect(await codeOf(readBytes(req, 100))).to.equal('INVALID_JSON');
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
