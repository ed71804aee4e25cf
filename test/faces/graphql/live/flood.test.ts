// Runs alone: it sends more than the service can answer.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import WebSocket from 'ws';
import { BYTES, MESSAGES, MessageBudget } from '../../../../src/faces/graphql/live/transport/message-budget.js';
import { freshIp } from '../../../support/market/agents.js';
import type { Json } from '../../../support/service/graphql.js';
import { eventually } from '../../../support/service/process.js';
import { useWorld } from '../../../support/world.js';

const PING = '{"type":"ping"}';
const QUERY = '{ marketStats { total { agents } } }';

describe('a WebSocket that sends too much', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const open: WebSocket[] = [];
  afterEach(() => {
    for (const socket of open.splice(0)) socket.terminate();
  });

  type Client = { socket: WebSocket; got: Json[]; pongs: () => number; closed: Promise<string> };
  async function connect(): Promise<Client> {
    const socket = new WebSocket(`${world.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      headers: freshIp(),
    });
    open.push(socket);
    const got: Json[] = [];
    let pongs = 0;
    socket.on('message', (data) => got.push(JSON.parse(String(data))));
    socket.on('pong', () => pongs++);
    socket.on('error', () => {});
    const closed = once(socket, 'close').then(([code, reason]) => `${code} ${reason}`);
    await once(socket, 'open');
    socket.send('{"type":"connection_init"}');
    await eventually(() => got.length === 1, 'it was not acknowledged');
    return { socket, got, pongs: () => pongs, closed };
  }
  const subscribe = (socket: WebSocket, id: string, query = QUERY) =>
    socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }));
  const countOf = (got: readonly Json[], type: string) => got.filter((message) => message.type === type).length;

  it('is closed with 4429 after a flood of pings of the protocol', async () => {
    const { socket, got, closed } = await connect();
    for (let i = 0; i < 20_000; i++) socket.send(PING);
    expect(await closed).to.equal('4429 Too many requests');
    expect(countOf(got, 'pong')).to.be.at.most(MESSAGES.most + 200);
  });

  it('is closed with 4429 after a flood of control frames, pings and pongs', async () => {
    for (const frame of ['ping', 'pong'] as const) {
      const { socket, pongs, closed } = await connect();
      for (let i = 0; i < 20_000; i++) socket[frame]('', true);
      expect(await closed).to.equal('4429 Too many requests');
      expect(pongs()).to.be.at.most(MESSAGES.most + 200);
    }
  });

  it('is closed with 4429 after a flood of bytes in few messages', async () => {
    const { socket, got, closed } = await connect();
    const long = JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(19_000) } });
    const enough = Math.ceil((BYTES.most + BYTES.grace) / long.length);
    expect(enough).to.be.below(MESSAGES.most / 2);
    for (let i = 0; i < 3 * enough; i++) socket.send(long);
    expect(await closed).to.equal('4429 Too many requests');
    expect(countOf(got, 'pong')).to.be.at.most(Math.ceil(BYTES.most / long.length) + 10);
  });

  it('has its operations refused with RATE_LIMITED, may end them, and is served again when it slows down', async () => {
    const { socket, got } = await connect();
    subscribe(socket, 'live', 'subscription { feedEvent { id } }');
    for (let i = 0; i < MESSAGES.most + 40; i++) socket.send(PING);
    subscribe(socket, 'refused');
    await eventually(() => countOf(got, 'error') > 0, 'it was not refused');
    const { id, payload } = got.find(({ type }) => type === 'error');
    expect(id).to.equal('refused');
    expect(payload[0].extensions).to.include({ code: 'RATE_LIMITED' });
    expect(payload[0].extensions.hint).to.be.a('string');
    // An operation that ended gives its id free: the same id again would close the socket otherwise.
    socket.send('{"id":"live","type":"complete"}');
    await sleep(payload[0].extensions.retryAfter * 1000 + 200);
    subscribe(socket, 'live');
    await eventually(() => got.some(({ id, type }) => id === 'live' && type === 'complete'), 'it was not served again');
    expect(socket.readyState).to.equal(WebSocket.OPEN);
  });

  it('is not one that keeps its connection awake and starts all the operations that it may', async () => {
    const { socket, got, pongs } = await connect();
    for (let i = 0; i < 100; i++) subscribe(socket, `${i}`, 'subscription { price { totalSupply } }');
    for (let i = 0; i < 20; i++) {
      socket.send(PING);
      socket.ping();
      await sleep(50);
    }
    await eventually(() => countOf(got, 'pong') === 20 && pongs() === 20, 'a ping was not answered');
    expect(countOf(got, 'error')).to.equal(0);
    expect(socket.readyState).to.equal(WebSocket.OPEN);
  });

  it('is judged by a budget that a day of ordinary messages does not touch', () => {
    let now = 0;
    const budget = new MessageBudget(() => now);
    // Every operation at once, each as long as it may be.
    for (let i = 0; i < 100; i++) {
      budget.takeMessage();
      budget.takeBytes(20_500);
    }
    for (; now < 86_400_000; now += 1000) {
      // Ten messages of a kilobyte a second, and the keepalive of both sides.
      for (let i = 0; i < 12; i++) budget.takeMessage();
      budget.takeBytes(12_000);
      expect(budget.isOver).to.equal(false);
    }
    for (let i = 0; i <= MESSAGES.most; i++) budget.takeMessage();
    expect([budget.isOver, budget.isExceeded]).to.deep.equal([true, false]);
    now += 1000 * budget.retryAfter;
    budget.takeMessage();
    expect(budget.isOver).to.equal(false);
    budget.takeBytes(BYTES.most + BYTES.grace + 1);
    expect(budget.isExceeded).to.equal(true);
  });
});
