import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { expect } from 'chai';
import WebSocket from 'ws';
import { freshIp, newAgent, refusal, success, type TestAgent } from '../../../support/market/agents.js';
import { addPosts } from '../../../support/market/rows.js';
import { withParts } from '../../../support/parts.js';
import { answerOf, type Json, refusalOf } from '../../../support/service/graphql.js';
import { overStream, transports } from '../../../support/service/live.js';
import { eventually } from '../../../support/service/process.js';
import { manualTimes } from '../../../support/times.js';
import { useWorld } from '../../../support/world.js';

const PROTOCOL = 'graphql-transport-ws';
const FEED = 'subscription { feedEvent { sequence id } }';

type Options = { url?: string; headers?: Record<string, string>; protocol?: string; autoPong?: boolean };

describe('WebSocket and SSE connections', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let agent: TestAgent;
  const open: WebSocket[] = [];

  before(async () => {
    agent = await newAgent(world);
  });
  afterEach(() => {
    for (const socket of open.splice(0)) socket.terminate();
  });

  const connect = ({ url = world.url, headers = freshIp(), protocol = PROTOCOL, ...options }: Options = {}) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, protocol, { headers, ...options });
    socket.on('error', () => {});
    open.push(socket);
    return socket;
  };
  /** Opens a connection and sends `connection_init` with the payload. */
  const greeted = async (payload: unknown, options: Options = {}): Promise<WebSocket> => {
    const socket = connect(options);
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload }));
    return socket;
  };
  const ready = async (payload: unknown = {}, options: Options = {}): Promise<WebSocket> => {
    const socket = await greeted(payload, options);
    const [message] = await once(socket, 'message');
    expect(JSON.parse(String(message)).type).to.equal('connection_ack');
    return socket;
  };
  const ended = async (socket: WebSocket): Promise<string> => {
    const [code, reason] = await once(socket, 'close');
    return `${code} ${reason}`;
  };
  /** The status and error with which the service refuses the upgrade request. */
  const refused = (headers: Record<string, string>, protocol = PROTOCOL): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect({ headers: { ...freshIp(), ...headers }, protocol });
      socket.on('open', () => resolve('open'));
      socket.on('unexpected-response', (_request, answer) => {
        answer.setEncoding('utf8').on('data', (text) => resolve(`${answer.statusCode} ${JSON.parse(text).error}`));
      });
    });
  const ask = async (socket: WebSocket, query: string): Promise<Json> => {
    const answers: Json[] = [];
    const take = (text: unknown) => answers.push(JSON.parse(String(text)));
    socket.on('message', take);
    socket.send(JSON.stringify({ id: 'q', type: 'subscribe', payload: { query } }));
    const isEnd = ({ type }: Json) => type === 'complete' || type === 'error';
    await eventually(() => answers.some(isEnd), 'the query was not answered');
    socket.off('message', take);
    return answers[0];
  };
  const post = (text: string) => addPosts(world, agent.wallet, [text]);

  it('accept the key in connectionParams or in the upgrade request, also for mutations', async () => {
    const me = '{ me { agent { name } } }';
    for (const socket of [
      await ready({ 'x-api-key': agent.key }),
      await ready({ 'X-API-KEY': agent.key }),
      await ready({}, { headers: { ...freshIp(), 'x-api-key': agent.key } }),
    ]) {
      expect((await ask(socket, me)).payload.data.me.agent.name).to.equal(agent.name);
    }
    const socket = await ready({ 'x-api-key': agent.key });
    const written = await ask(socket, 'mutation { post(text: "Over a socket.") { text } }');
    expect(written.payload.data.post.text).to.equal('Over a socket.');
    const without = await ready();
    const [error] = (await ask(without, me)).payload.errors;
    expect(error.extensions).to.include({ code: 'MISSING_KEY' });
    expect(error.extensions.hint).to.be.a('string');
  });

  it('refuse operations after the agent of their key is deleted, even if its wallet registers again', async () => {
    const { name, wallet, key } = await newAgent(world);
    const sockets = [await ready({ 'x-api-key': key }), await ready({}, { headers: { ...freshIp(), 'x-api-key': key } })];
    const said = (query: string) =>
      Promise.all(
        sockets.map(async (socket) => {
          const { payload } = await ask(socket, query);
          return payload[0]?.extensions.code ?? payload.data.me.agent.name;
        }),
      );
    const me = '{ me { agent { name } } }';
    expect(await said(me)).to.deep.equal([name, name]);
    success(await world.ask('DELETE', `/api/agents/${wallet}`, { key, headers: freshIp() }));
    const expectRefused = async () => {
      for (const query of [me, 'mutation { post(text: "I am still here.") { id } }'])
        expect(await said(query)).to.deep.equal(['INVALID_KEY', 'INVALID_KEY']);
    };
    await expectRefused();
    success(await world.ask('POST', '/api/agents', { body: { name, walletAddress: wallet }, headers: freshIp() }));
    await expectRefused();
  });

  it('refuse a wrong key like REST, and block the IP address after five wrong keys', async () => {
    const headers = freshIp();
    const wrong = { 'x-api-key': 'wrong' };
    for (let i = 0; i < 3; i++) expect(await ended(await greeted(wrong, { headers }))).to.equal('4401 Invalid API key');
    expect(await refused({ ...headers, ...wrong })).to.equal('401 Invalid API key');
    const stream = await overStream(world.url, FEED, { headers, key: 'wrong' });
    await eventually(() => stream.errors.length > 0, 'no error arrived');
    expect(stream.reason).to.equal('401 application/json; charset=utf-8');
    expect(stream.errors[0].extensions.code).to.equal('INVALID_KEY');
    // After five wrong keys, the service refuses correct keys from this address too, over every transport.
    expect(await ended(await greeted({ 'x-api-key': agent.key }, { headers }))).to.equal('4429 Too many requests');
    expect(await refused({ ...headers, 'x-api-key': agent.key })).to.equal('429 Too many requests');
    expect(refusal(await world.ask('GET', '/api/agents/me', { headers, key: agent.key }))).to.equal('429 Too many requests');
    await ready({}, { headers });
  });

  it('refuse a former key without blocking the IP address', async () => {
    const [headers, { key }] = [freshIp(), await newAgent(world)];
    success(await world.ask('DELETE', '/api/agents/me', { key, headers: freshIp() }));
    const former = { 'x-api-key': key };
    for (let i = 0; i < 3; i++) {
      expect(await ended(await greeted(former, { headers }))).to.equal('4401 Invalid API key');
      expect(await refused({ ...headers, ...former })).to.equal('401 Invalid API key');
    }
    await ready({ 'x-api-key': agent.key }, { headers });
  });

  it('open only at /graphql, and a WebSocket only with the protocol graphql-transport-ws', async () => {
    expect(await refused({}, 'graphql-ws')).to.match(/^400 /);
    const elsewhere = new WebSocket(`${world.url.replace('http', 'ws')}/health`, PROTOCOL);
    const [error] = await once(elsewhere, 'error');
    expect(String(error)).to.contain('404');
  });

  it('close on messages that are too long, too deep, too early, duplicate or malformed', async () => {
    const subscribe = (payload: object) => JSON.stringify({ id: 'q', type: 'subscribe', payload });
    const variables = JSON.parse(`${'{"a":'.repeat(8)}1${'}'.repeat(8)}`);
    for (const [reason, ...messages] of [
      [/^1009/, subscribe({ query: `{ me { id } } #${'x'.repeat(21_000)}` })],
      [/^4400 Request body is too deeply nested/, subscribe({ query: FEED, variables })],
      [/^4409/, subscribe({ query: FEED }), subscribe({ query: FEED })],
      [/^4400/, '{'],
    ] as const) {
      const socket = await ready();
      for (const message of messages) socket.send(message);
      expect(await ended(socket)).to.match(reason);
    }
    const early = connect();
    await once(early, 'open');
    early.send(subscribe({ query: FEED }));
    expect(await ended(early)).to.equal('4401 Unauthorized');
  });

  it('apply the query limits of HTTP', async () => {
    const headers = freshIp();
    const socket = await ready({}, { headers });
    const ten = (field: string) => Array.from({ length: 10 }, (_, i) => `a${i}: ${field}`).join(' ');
    // `dear` costs 1,002 points, more than a query may. `page` costs 902, so the 67th exceeds the 60,000 points of a minute.
    const dear = `{ agents(first: 100) { nodes { ${ten('name')} } } }`;
    expect((await ask(socket, dear)).payload[0].extensions.code).to.equal('QUERY_LIMIT');
    const page = `{ agents(first: 90) { nodes { ${ten('name')} } } }`;
    let answer = await ask(socket, page);
    for (let i = 0; i < 80 && answer.type === 'next'; i++) answer = await ask(socket, page);
    expect(answer.payload[0].extensions).to.include({ code: 'RATE_LIMITED' });
    expect(answer.payload[0].extensions.retryAfter).to.be.greaterThan(0);
    // A subscription costs as much as one of its answers, so this one is refused at its start.
    const subscription = `subscription { trade { trade { agent { trades(first: 80) { nodes { ${ten('amount')} } } } } } }`;
    expect((await ask(socket, subscription)).payload[0].extensions.code).to.equal('RATE_LIMITED');
    const stream = await overStream(world.url, subscription, { headers });
    expect(stream.reason).to.match(/^429 /);
  });

  it('are limited to 100 per IP address, and to 100 operations each', async () => {
    const headers = freshIp();
    const socket = await ready({}, { headers });
    const errors: Json[] = [];
    socket.on('message', (text) => {
      const message = JSON.parse(String(text));
      if (message.type === 'error') errors.push(message);
    });
    // A connection may have 100 operations, and an address 100 connections. So operation 100, the 101st, is refused.
    for (let i = 0; i <= 100; i++) socket.send(JSON.stringify({ id: `${i}`, type: 'subscribe', payload: { query: FEED } }));
    await eventually(() => errors.length > 0, 'no subscription was refused');
    expect(errors.map(({ id, payload }) => [id, payload[0].extensions.code])).to.deep.equal([['100', 'TOO_MANY_OPEN']]);
    const others = await Promise.all(Array.from({ length: 99 }, () => ready({}, { headers })));
    expect(await refused(headers)).to.equal('429 Too many open connections');
    const stream = await overStream(world.url, FEED, { headers });
    expect(stream.reason).to.match(/^429 /);
    others[0]?.terminate();
    await eventually(async () => (await refused(headers)) === 'open', 'a closed connection was not released');
  });

  it('receive pings, and close when a pong is missing', async () => {
    const times = manualTimes();
    await withParts(world, { times }, async ({ url }) => {
      const [awake, asleep] = [await ready({}, { url }), await ready({}, { url, autoPong: false })];
      const headers = { accept: 'text/event-stream', ...freshIp() };
      const stream = await fetch(`${url}/graphql?query=${encodeURIComponent(FEED)}`, { headers });
      // nginx buffers answers. Without this header, it would hold back the events.
      expect(stream.headers.get('x-accel-buffering')).to.equal('no');
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
      expect((await reader?.read())?.value).to.match(/^id: /);
      const pings: string[] = [];
      awake.on('ping', () => pings.push('awake'));
      asleep.on('ping', () => pings.push('asleep'));
      times.advance(times.socketPing - 1);
      expect((await ask(awake, '{ __typename }')).type).to.equal('next');
      expect((await ask(asleep, '{ __typename }')).type).to.equal('next');
      expect(pings).to.deep.equal([]);
      times.advance(1);
      // The client sends its pong before the query below, so the service has the pong when it answers the query.
      await eventually(() => pings.length === 2, 'a ping is missing');
      expect((await ask(awake, '{ __typename }')).type).to.equal('next');
      const gone = ended(asleep);
      times.advance(times.socketPing);
      expect(await gone).to.match(/^1006/);
      expect((await reader?.read())?.value).to.equal(':\n\n');
      expect((await ask(awake, '{ __typename }')).type).to.equal('next');
      expect(pings.filter((name) => name === 'awake')).to.have.length(2);
      await reader?.cancel();
    });
  });

  it('resume after the Last-Event-ID that browsers send', async () => {
    const first = await overStream(world.url, FEED);
    await post('one');
    await first.until(1);
    first.cut();
    await post('two');
    const again = await overStream(world.url, 'subscription { feedEvent(after: "0") { sequence id } }', {
      lastEventId: first.ids.at(-1) as string,
    });
    await again.until(1);
    const position = Number(first.ids.at(-1));
    expect(again.ids).to.deep.equal([String(position), String(position + 1)]);
    again.cut();
  });

  it('accept a persisted query, refuse a mutation over GET, and report wrong variables', async () => {
    const query = '{ marketStats { total { trades } } }';
    const persistedQuery = { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') };
    const hashed = { extensions: { persistedQuery } };
    const stream = async (body: object) => {
      const answer = await world.ask('POST', '/graphql', {
        body,
        headers: { accept: 'text/event-stream', ...freshIp() },
      });
      return answer.status === 200 ? answer.body.text : refusalOf(answerOf(answer));
    };
    expect(await stream(hashed)).to.equal('400 PERSISTED_QUERY_NOT_FOUND');
    await world.ask('POST', '/graphql', { body: { query, ...hashed }, headers: freshIp() });
    const data = '{"data":{"marketStats":{"total":{"trades":0}}},"extensions":{"cost":{"requested":3}}}';
    expect(await stream(hashed)).to.equal(`event: next\ndata: ${data}\n\nevent: complete\ndata:\n\n`);
    const forged = `/graphql?query=${encodeURIComponent('mutation { post(text: "Forged") { id } }')}`;
    const { status } = await world.ask('GET', forged, { headers: { accept: 'text/event-stream', ...freshIp() } });
    expect(status).to.equal(405);
    expect(await stream({ query, variables: [1] })).to.equal('400 INVALID_FIELD');
    const needs = 'subscription ($a: AgentRef!) { trade(agent: $a) { id } }';
    expect(await stream({ query: needs })).to.equal('400 BAD_USER_INPUT');
    expect(await stream({ query: needs, variables: { a: 5 } })).to.equal('400 INVALID_FIELD');
    const agents = 'query ($n: Int!) { agents(first: $n) { totalCount } }';
    expect(await stream({ query: agents, variables: { n: 'x' } })).to.match(/^event: next\ndata: {"errors":.*BAD_USER_INPUT/);
  });

  it('appear in the metrics with their open and their started subscriptions', async () => {
    const counts = async () => {
      const { body } = await world.ask('GET', '/metrics');
      return [...String(body.text).matchAll(/^curvet_subscriptions\S* (\d+)$/gm)].map(([, count]) => Number(count));
    };
    await eventually(async () => (await counts())[0] === 0, 'a subscription of another test is open');
    const [, started = 0] = await counts();
    const subscribers = [];
    for (const subscribe of Object.values(transports)) subscribers.push(await subscribe(world.url, FEED));
    expect(await counts()).to.deep.equal([2, started + 2]);
    for (const subscriber of subscribers) subscriber.cut();
    await eventually(async () => (await counts())[0] === 0, 'a closed subscription is counted as open');
    expect(await counts()).to.deep.equal([0, started + 2]);
  });
});
