import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type WebSocket from 'ws';
import { print } from '../../support/print.js';
import type { Json } from '../../support/service/graphql.js';
import { type Talk, talk } from '../../support/service/live.js';
import { eventually } from '../../support/service/process.js';
import { describeAbuse, freshAddress } from './support/abused-service.js';
import { BINARY, CLOSE, CONTINUATION, closeCode, frame, handshake, PING, TEXT } from './support/frames.js';
import { closeClients, RawClient } from './support/raw-client.js';

/** Maximum number of subscriptions per address, as in docs/live.md. */
const MAX_SUBSCRIPTIONS = 1000;

const INIT = '{"type":"connection_init"}';
const subscribe = (id: string, query = 'subscription { price { totalSupply } }'): string =>
  JSON.stringify({ id, type: 'subscribe', payload: { query } });

const sockets: WebSocket[] = [];
const closeAll = () => {
  closeClients();
  for (const socket of sockets.splice(0)) socket.terminate();
};

describeAbuse('the service under malformed frames and floods of subscriptions', closeAll, (service) => {
  /** Opens a raw WebSocket, sends the frames after the handshake, and returns the close code of the service, if there is one. */
  async function codeAfter(...frames: Buffer[]): Promise<number | undefined> {
    const client = new RawClient(service().port, freshAddress(), handshake());
    await client.until(/\r\n\r\n/);
    for (const bytes of frames) client.write(bytes);
    await eventually(() => closeCode(client.bytes) !== undefined || client.isClosed, 'the socket stayed open');
    const code = closeCode(client.bytes);
    client.destroy();
    return code;
  }

  async function connect(localAddress: string): Promise<Talk> {
    const made = await talk(service().url, { localAddress });
    sockets.push(made.socket);
    return made;
  }
  const refusalsIn = (clients: readonly Talk[]): Json[] =>
    clients.flatMap(({ got }) => got.filter(({ type }) => type === 'error').map(({ payload }) => payload[0].extensions.code));

  it('closes a socket after a frame that the protocol forbids, before its payload arrives', async () => {
    const long = '"'.padEnd(16_000, 'x');
    // Close codes from 4000 on are those of graphql-transport-ws, lower codes those of WebSocket.
    const cases: Record<string, readonly [readonly Buffer[], number]> = {
      'a frame of 2^62 bytes': [[frame(TEXT, 'x', { announced: 2n ** 62n })], 1009],
      'a frame of 100 MB': [[frame(TEXT, 'x', { announced: 100_000_000n })], 1009],
      'a message of fragments that grows': [[frame(TEXT, long, { fin: false }), frame(CONTINUATION, long, { fin: false })], 1009],
      'text that is not UTF-8': [[frame(TEXT, Buffer.from([0xff, 0xfe, 0xc0]))], 1007],
      'a frame without a mask': [[frame(TEXT, INIT, { masked: false })], 1002],
      'reserved bits': [[frame(TEXT, INIT, { reserved: 4 })], 1002],
      'an unknown opcode': [[frame(3, 'x')], 1002],
      'a continuation of nothing': [[frame(CONTINUATION, 'x')], 1002],
      'a fragmented ping': [[frame(PING, 'x', { fin: false })], 1002],
      'a ping of 126 bytes': [[frame(PING, 'x'.repeat(126))], 1002],
      'a close frame with a forbidden code': [[frame(CLOSE, Buffer.from([0x03, 0xed]))], 1002],
      'binary nonsense': [[frame(BINARY, Buffer.from([0, 1, 2, 255]))], 4400],
      'text that is no message': [[frame(TEXT, '{"type":1}')], 4400],
      'a message with __proto__': [[frame(TEXT, '{"__proto__":{"type":"connection_init"}}')], 4400],
      'two connection_init': [[frame(TEXT, INIT), frame(TEXT, INIT)], 4429],
    };
    const got = await Promise.all(
      Object.entries(cases).map(async ([name, [frames, expected]]) => [name, await codeAfter(...frames), expected] as const),
    );
    expect(got.filter(([, code, expected]) => code !== expected)).to.deep.equal([]);
  });

  it('closes a socket that never ends its message, sends empty fragments, or does not introduce itself', async () => {
    const client = (): RawClient => new RawClient(service().port, freshAddress(), handshake());
    const [silent, half, empty] = [client(), client(), client()];
    await Promise.all([silent, half, empty].map((one) => one.until(/\r\n\r\n/)));
    half.write(frame(TEXT, '{"type":', { fin: false }));
    empty.write(frame(TEXT, '', { fin: false }));
    const fragments = Buffer.concat(Array.from({ length: 2000 }, () => frame(CONTINUATION, '', { fin: false })));
    await Promise.all([empty.repeat(fragments, 2, 20_000), ...[silent, half].map((one) => one.untilClosed(15_000))]);
    expect(closeCode(silent.bytes), 'silent').to.equal(4408);
    expect(closeCode(half.bytes), 'half a message').to.equal(4408);
    expect(empty.isClosed, 'empty fragments').to.equal(true);
    print(
      `a flood of empty fragments is closed after ${Math.round(empty.lifetime)} ms and ${Math.round(empty.sentBytes / 1000)} KB`,
    );
  });

  it('limits the operations of a socket and the subscriptions of an address, and frees them with the sockets', async () => {
    const address = freshAddress();
    const clients: Talk[] = [];
    for (let i = 0; i < 12; i++) clients.push(await connect(address));
    for (const { socket } of clients) for (let i = 0; i < 110; i++) socket.send(subscribe(`${i}`));
    // 12 sockets ask for 110 subscriptions each. Each exceeds the limit of a socket (100) by 10, and the other 1200 exceed that of
    // the address.
    const most = clients.length * 110 - MAX_SUBSCRIPTIONS;
    await eventually(() => refusalsIn(clients).length >= most, 'the surplus was not refused');
    // Any further refusal would arrive in this time.
    await sleep(300);
    expect(refusalsIn(clients).length).to.equal(most);
    expect(new Set(refusalsIn(clients))).to.deep.equal(new Set(['TOO_MANY_OPEN']));
    for (const { socket } of clients) socket.terminate();
    const next = await connect(address);
    await eventually(async () => {
      next.got.splice(0);
      next.socket.send(subscribe(`again ${Math.random()}`));
      await sleep(100);
      return refusalsIn([next]).length === 0;
    }, 'the subscriptions of closed sockets still count');
  });
});
