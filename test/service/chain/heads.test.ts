import { expect } from 'chai';
import { WebSocketServer } from 'ws';
import { callUrls, type Heads, headUrls, watchHeads } from '../../../src/chain/heads.js';
import { testChain } from '../../support/chain/chain.js';
import { FaultyLine } from '../../support/chain/faulty-line.js';
import { FakeNode, status, type Upgrade } from '../../support/chain/node.js';
import { eventually } from '../../support/service/process.js';
import { type ManualTimes, manualTimes } from '../../support/times.js';

/** A URL on which no server listens. */
const NOWHERE = 'http://127.0.0.1:1';

describe('the watcher of new blocks', () => {
  const open: { close(): unknown }[] = [];
  let times: ManualTimes;
  beforeEach(() => {
    times = manualTimes();
  });
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  /** Subscribes at the first URL, and at the next one after each failure. `heads` counts the calls of the callback. */
  const watch = (urls: string[]): Heads & { heads: number } => {
    const watched: { heads: number } & Partial<Heads> = { heads: 0 };
    const heads = watchHeads(urls, () => watched.heads++, times);
    open.push(heads);
    return Object.assign(watched, { live: () => heads.live(), close: () => heads.close() });
  };
  const lineToChain = async (): Promise<FaultyLine> => {
    const line = await FaultyLine.to((await testChain()).rpcUrl);
    open.push(line);
    return line;
  };
  /** Waits until the watcher has lost its connection and will connect again after `delay` milliseconds. */
  const lost = (delay: number) => eventually(() => times.waiting.join() === String(delay));
  /** Waits like `lost`, and then lets the delay pass, so that the watcher connects again. */
  const reconnect = async (delay: number) => {
    await lost(delay);
    times.advance(delay);
  };
  const socketOf = ({ url }: FaultyLine): string => url.replace('http:', 'ws:');
  const mine = async (blocks = 1) => {
    const { provider } = await testChain();
    for (let i = 0; i < blocks; i++) await provider.send('anvil_mine', ['0x1']);
  };

  it('uses the configured WebSocket URLs, or derives them from the HTTP URLs', () => {
    const both = ['https://a.test/k', 'wss://b.test', 'http://c.test', 'ws://d.test'];
    expect(callUrls(both)).to.deep.equal(['https://a.test/k', 'http://c.test']);
    expect(headUrls(both)).to.deep.equal(['wss://b.test', 'ws://d.test']);
    expect(headUrls(callUrls(both))).to.deep.equal(['wss://a.test/k', 'ws://c.test']);
  });

  it('calls back for each block, and once at the start', async () => {
    const watched = watch(headUrls([(await testChain()).rpcUrl]));
    await eventually(() => watched.live());
    expect(watched.heads).to.equal(1);
    await mine(3);
    await eventually(() => watched.heads >= 4);
    // A superfluous call for one of the three blocks would arrive before the call for this block.
    await mine();
    await eventually(() => watched.heads >= 5);
    expect(watched.heads).to.equal(5);
  });

  it('reconnects after the connection was cut, and calls back once for all blocks in between', async () => {
    const line = await lineToChain();
    const watched = watch([socketOf(line)]);
    await eventually(() => watched.live());
    // Only the target of the line changes. Its port stays taken, so that no other program gets it.
    line.redirect(NOWHERE);
    await eventually(() => !watched.live());
    await mine();
    const before = watched.heads;
    // Each attempt fails, and the delay doubles.
    await reconnect(1000);
    await reconnect(2000);
    await lost(4000);
    line.redirect((await testChain()).rpcUrl);
    await reconnect(4000);
    await eventually(() => watched.live());
    // The new subscription causes one call, which stands for all blocks in between.
    expect(watched.heads).to.equal(before + 1);
    await mine();
    await eventually(() => watched.heads === before + 2);
  });

  it('detects a dead connection by a missing pong', async () => {
    const line = await lineToChain();
    const watched = watch([socketOf(line)]);
    await eventually(() => watched.live());
    // The watcher must not end a connection that has no new blocks but answers its pings. After 15 s without a message, it sends a
    // ping, and waits 15 s for any message.
    for (let silences = 0; silences < 4; silences++) {
      times.advance(15_000);
      // The second timer now has 14,999 ms left. When a timer has 15,000 ms again, the pong has arrived and begun another silence.
      times.advance(1);
      await eventually(() => times.waiting[0] === 15_000);
    }
    expect(watched.live()).to.equal(true);
    line.freeze();
    // The ping is lost. After another 15 s without a message, the watcher gives the connection up.
    times.advance(15_000);
    expect(watched.live()).to.equal(true);
    times.advance(15_000);
    expect(watched.live()).to.equal(false);
    line.thaw();
    await reconnect(1000);
    await eventually(() => watched.live());
  });

  it('sends credentials, and skips URLs that hang or that refuse WebSocket or subscriptions', async () => {
    const seen: (string | undefined)[] = [];
    const server = async (upgrade: Upgrade) => {
      const made = new FakeNode(status(405));
      made.upgrade = (...asked) => {
        seen.push(asked[0].headers.authorization);
        upgrade(...asked);
      };
      await made.open();
      open.push({ close: () => made.stop() });
      // WebSocket refuses a URL with a fragment, so the watcher must remove it. It sends the credentials as a header.
      return `${made.url.replace('http://', 'ws://user:p%40ss@')}/#part`;
    };
    const none = await server((_, socket) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n'));
    const hanging = await server(() => {});
    const webSockets = new WebSocketServer({ noServer: true });
    const error = { code: -32601, message: 'no such method' };
    const refusing = await server((...asked) =>
      webSockets.handleUpgrade(...asked, (client) => {
        client.once('message', () => client.send(JSON.stringify({ jsonrpc: '2.0', id: 1, error })));
      }),
    );
    const watched = watch([none, hanging, refusing, ...headUrls([(await testChain()).rpcUrl])]);
    // The first URL answers 404. The second says nothing, and is given up after 5 s. The third refuses to subscribe. The waits of
    // 1, 2 and 4 s follow these three failures. The fourth URL is the real chain.
    await reconnect(1000);
    await eventually(() => seen.length === 2);
    expect(times.waiting).to.deep.equal([5000]);
    times.advance(5000);
    await reconnect(2000);
    await reconnect(4000);
    await eventually(() => watched.live());
    const credentials = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
    expect(seen).to.deep.equal([credentials, credentials, credentials]);
  });

  it('does not call back after it was closed', async () => {
    const urls = headUrls([(await testChain()).rpcUrl]);
    const [watched, other] = [watch(urls), watch(urls)];
    await eventually(() => watched.live() && other.live());
    watched.close();
    await mine(2);
    await eventually(() => other.heads === 3);
    expect([watched.live(), watched.heads]).to.deep.equal([false, 1]);
  });
});
