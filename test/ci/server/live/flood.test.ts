import { once } from 'node:events';
import { request } from 'node:http';
import { expect } from 'chai';
import WebSocket from 'ws';
import { AppError } from '../../../../src/errors/errors.js';
import { AddressQuota } from '../../../../src/server/live/live-api.js';
import { BYTES, MESSAGES, MessageBudget } from '../../../../src/server/live/transport/metered-messages.js';
import { freshIp, newAgent } from '../../../support/market/agents.js';
import { addPosts } from '../../../support/market/rows.js';
import { withParts } from '../../../support/parts.js';
import type { Json } from '../../../support/service/graphql.js';
import { overSocket, type Talk, talk } from '../../../support/service/live.js';
import { eventually } from '../../../support/service/process.js';
import { manualTimes } from '../../../support/times.js';
import { useWorld } from '../../../support/world.js';

const PING = '{"type":"ping"}';
/** Number of messages that exceeds the budget of a socket together with its grace. */
const FLOOD = 2 * (MESSAGES.capacity + MESSAGES.grace);
const QUERY = '{ marketStats { total { agents } } }';

describe('a client that floods or does not read', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const times = manualTimes();
  const open: WebSocket[] = [];
  before(() => Object.assign(world.deps, { times }));
  afterEach(() => {
    for (const socket of open.splice(0)) socket.terminate();
  });

  type Client = Talk & { pongs: number };
  async function connect(url = world.url): Promise<Client> {
    const client = { ...(await talk(url, { headers: freshIp() })), pongs: 0 };
    open.push(client.socket);
    client.socket.on('pong', () => client.pongs++);
    return client;
  }
  const subscribe = (socket: WebSocket, id: string, query = QUERY) =>
    socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }));
  const countOf = (got: readonly Json[], type: string) => got.filter((message) => message.type === type).length;

  /**
   * Waits until the socket is closing, lets the time pass that a client has to read the reason, and resolves with code and reason.
   */
  async function reasonOf({ socket, closed }: Client): Promise<string> {
    await eventually(() => socket.readyState !== WebSocket.OPEN, 'the socket was not closed');
    times.advance(times.socketClose);
    return closed;
  }
  /** Messages that the budget pays for after the first one, which was `connection_init`. */
  const paid = MESSAGES.capacity - 1;

  it('is disconnected with 4429 after too many ping messages, ping or pong frames, or bytes', async () => {
    const long = JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(19_000) } });
    const enough = Math.ceil((BYTES.capacity + BYTES.grace) / long.length);
    expect(enough).to.be.below(MESSAGES.capacity / 2);
    // `answered` is the maximum number of pong messages. Pongs that are still due when the socket closes are not sent. The budget
    // counts the bytes of a chunk after its messages, so one chunk of up to 65,536 bytes more may be answered.
    for (const [what, send, count, answered] of [
      ['messages', ({ socket }: Client) => socket.send(PING), FLOOD, paid],
      ['pings', ({ socket }: Client) => socket.ping('', true), FLOOD, 0],
      ['pongs', ({ socket }: Client) => socket.pong('', true), FLOOD, 0],
      ['bytes', ({ socket }: Client) => socket.send(long), 2 * enough, (BYTES.capacity + 65_536) / long.length + 1],
    ] as const) {
      const client = await connect();
      for (let i = 0; i < count; i++) send(client);
      expect(await reasonOf(client), what).to.equal('4429 Too many requests');
      expect(countOf(client.got, 'pong'), what).to.be.at.most(answered);
      expect(client.pongs, what).to.equal(what === 'pings' ? paid : 0);
    }
  });

  it('gets RATE_LIMITED for new operations until it pauses, but can complete open ones', async () => {
    const { socket, got } = await connect();
    const refusals = async () => {
      const text = String((await world.ask('GET', '/metrics')).body.text);
      return Number(/\{face="graphql",code="RATE_LIMITED",class="client"\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    const before = await refusals();
    subscribe(socket, 'live', 'subscription { feedEvent { id } }');
    for (let i = 0; i < MESSAGES.capacity + 40; i++) socket.send(PING);
    subscribe(socket, 'refused');
    await eventually(() => countOf(got, 'error') > 0, 'the operation was not refused');
    const { id, payload } = got.find(({ type }) => type === 'error');
    expect(id).to.equal('refused');
    expect(payload[0].extensions).to.include({ code: 'RATE_LIMITED' });
    expect(payload[0].extensions.hint).to.be.a('string');
    expect(await refusals()).to.equal(before + 1);
    // The completed operation releases its id. Reusing an active id would close the socket.
    socket.send('{"id":"live","type":"complete"}');
    times.advance(payload[0].extensions.retryAfter * 1000);
    subscribe(socket, 'live');
    await eventually(
      () => got.some(({ id, type }) => id === 'live' && type === 'complete'),
      'the operation after the pause was not answered',
    );
    expect(socket.readyState).to.equal(WebSocket.OPEN);
  });

  it('is disconnected if it does not read, while others are served', async () => {
    const fields = Array.from({ length: 28 }, (_, i) => `t${i}: text`).join(' ');
    const wide = `subscription { feedEvent { sequence event { ... on StatusEvent { ${fields} } } } }`;
    const { wallet } = await newAgent(world);
    // Rate limits are off, because the cost of so many answers would pause the subscriptions.
    await withParts(world, { config: { ...world.deps.config, RATE_LIMITS: 'off' as const } }, async ({ url }) => {
      const { socket: slow } = await connect(url);
      subscribe(slow, 's', wide);
      const stuck = request(`${url}/graphql`, {
        method: 'POST',
        headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...freshIp() },
      });
      stuck.end(JSON.stringify({ query: wide }));
      const [answer] = await once(stuck, 'response');
      const quick = await overSocket(url, 'subscription { feedEvent { sequence } }');
      slow.pause();
      answer.pause();
      let gone = 0;
      answer.on('error', () => gone++);
      slow.once('close', () => gone++);
      // The operating system buffers the first megabytes of each connection, so only many posts show that a client does not read.
      const { subscriptions } = world.deps;
      const before = subscriptions.ended;
      let posted = 0;
      while (subscriptions.ended < before + 2) {
        await addPosts(world, wallet, Array(100).fill('x'.repeat(280)));
        posted += 100;
        await quick.until(posted);
        times.advance(times.socketClose);
      }
      // The client first reads what the operating system has buffered, and then the end of the connection.
      slow.resume();
      answer.resume();
      await eventually(() => gone === 2, `${gone} of 2 connections were closed`);
      expect([quick.got.length, quick.closed]).to.deep.equal([posted, false]);
      quick.cut();
    });
  });

  it('is told apart from a client with keepalives and the maximum number of operations', async () => {
    const client = await connect();
    const { socket, got } = client;
    for (let i = 0; i < 100; i++) subscribe(socket, `${i}`, 'subscription { price { totalSupply } }');
    for (let i = 0; i < 20; i++) {
      socket.send(PING);
      socket.ping();
    }
    await eventually(() => countOf(got, 'pong') === 20 && client.pongs === 20, 'a ping had no pong');
    expect(countOf(got, 'error')).to.equal(0);
    expect(socket.readyState).to.equal(WebSocket.OPEN);
  });

  it('is told apart from a client that sends ten messages a second for a day', () => {
    let now = 0;
    const budget = new MessageBudget(() => now);
    // The client starts the maximum number of operations, each of maximum length.
    for (let i = 0; i < 100; i++) {
      budget.takeMessage();
      budget.takeBytes(20_500);
    }
    for (; now < 86_400_000; now += 1000) {
      // Ten messages of one kilobyte per second, and the keepalives of both sides.
      for (let i = 0; i < 12; i++) budget.takeMessage();
      budget.takeBytes(12_000);
      expect(budget.isOver).to.equal(false);
    }
    for (let i = 0; i <= MESSAGES.capacity; i++) budget.takeMessage();
    expect([budget.isOver, budget.isExceeded]).to.deep.equal([true, false]);
    now += 1000 * budget.retryAfter;
    budget.takeMessage();
    expect(budget.isOver).to.equal(false);
    budget.takeBytes(BYTES.capacity + BYTES.grace + 1);
    expect(budget.isExceeded).to.equal(true);
  });
});

describe('the limit of open connections', () => {
  it('is ten times as high for an IPv6 /48 network, and frees one place per closed connection', () => {
    const places = new AddressQuota('things', 2);
    const site = Array.from({ length: 10 }, (_, i) => `2001:db8:0:${i}::1`);
    const [release] = site.flatMap((ip) => [places.take(ip), places.take(ip)]);
    const other = '2001:db8:0:99::1';
    const isFull = () =>
      expect(() => places.take(other))
        .to.throw(AppError)
        .that.has.deep.property('params', { what: 'things', max: 20, seconds: 10 });
    isFull();
    places.take('2001:db8:1::1');
    // Only the first call of `release` frees a place. The second call must not free another one.
    for (let i = 0; i < 2; i++) release?.();
    places.take(other);
    isFull();
  });
});
