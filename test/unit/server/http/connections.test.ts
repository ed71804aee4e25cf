import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { pino } from 'pino';
import { readConfig } from '../../../../src/config/config.js';
import { answerClientError } from '../../../../src/server/http/client-errors.js';
import { limitConnections, limitedServer, maxConnections } from '../../../../src/service/servers.js';
import { withinDeadline } from '../../../../src/tasks.js';
import { thrownBy } from '../../../support/refused.js';
import { eventually } from '../../../support/service/process.js';
import { type ManualTimes, manualTimes } from '../../../support/times.js';

const MAX = 5;

/** `text` is what the client has received. `isCut` is true if the server ended the connection without an answer. */
type Client = { readonly socket: Socket; text: string; isCut: boolean };
const clients: Client[] = [];

/** A client that keeps its side of the connection open until the end of the test. */
function halfOpen(port: number, sent = '', host = '127.0.0.1'): Client {
  const socket = connect({ port, host, allowHalfOpen: true }, () => socket.write(sent));
  const client = { socket, text: '', isCut: false };
  socket.on('data', (chunk) => {
    client.text += chunk;
  });
  socket.on('error', () => {});
  socket.on('end', () => {
    client.isCut = client.text === '';
  });
  clients.push(client);
  return client;
}
function endClients(): void {
  for (const { socket } of clients.splice(0)) socket.destroy();
}

async function portOf(server: Server, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(0, host), 'listening');
  return (server.address() as AddressInfo).port;
}
const openIn = (server: Server) => new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n)));

describe('the connections of one IP address', () => {
  let server: Server;
  let port: number;
  let times: ManualTimes;
  const opening = (sent = '', host?: string) => halfOpen(port, sent, host);
  const untilOpen = (count: number, otherwise: string) => eventually(async () => (await openIn(server)) === count, otherwise);

  before(async () => {
    times = manualTimes();
    server = createServer({ headersTimeout: 0, requestTimeout: 0 }, (_, res) => res.end('served'));
    limitConnections(server, MAX, { log: pino({ level: 'silent' }), times });
    port = await portOf(server, '::');
  });
  afterEach(async () => {
    endClients();
    await untilOpen(0, 'connections remained open');
  });
  after(() => {
    server.close();
  });

  it('are refused with 429 above the limit, even before a request, and closed', async () => {
    const accepted = Array.from({ length: MAX }, () => opening('GET / HTTP/1.1\r\n'));
    await untilOpen(MAX, 'the connections are not open');
    const refused = [opening(), opening('GET / HTTP/1.1\r\nHost: x\r\n\r\n')];
    await eventually(() => refused.every(({ text }) => text !== ''), 'no answer arrived');
    for (const { text } of refused) {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      expect(head).to.match(/^HTTP\/1\.1 429 Too Many Requests\r\n/);
      expect(head).to.include('Connection: close').and.include('Retry-After: 5').and.include('X-Frame-Options: DENY');
      expect(JSON.parse(body)).to.include({
        success: false,
        error: 'Too many open connections',
        code: 'TOO_MANY_OPEN',
      });
    }
    // The clients never close their side of the connection, so the server must end the refused ones after a grace time.
    expect(await openIn(server)).to.equal(MAX + 2);
    times.advance(times.clientClose);
    await untilOpen(MAX, 'the refused connections remained open');
    for (const client of accepted) client.socket.write('Host: x\r\n\r\n');
    await eventually(() => accepted.every(({ text }) => text.includes('served')), 'the accepted connections were not served');
  });

  it('are accepted again after another has closed, and do not count for other addresses', async () => {
    const full = Array.from({ length: MAX }, () => opening());
    await untilOpen(MAX, 'the connections are not open');
    const other = opening('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', '::1');
    await eventually(() => other.text.includes('served'), 'the connection of another address was not accepted');
    other.socket.destroy();
    full[0]?.socket.destroy();
    await untilOpen(MAX - 1, 'a connection remained open');
    const next = opening('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually(() => next.text.includes('served'), 'the connection was not accepted');
  });

  it('are closed without an answer when many refused connections are pending', async () => {
    const many = Array.from({ length: 120 }, () => opening());
    const answered = () => many.filter(({ text }) => text.includes(' 429 ')).length;
    const cut = () => many.filter(({ isCut }) => isCut).length;
    await eventually(() => answered() + cut() === many.length - MAX, 'connections were not refused');
    // At most 50 refused connections of an address stay open for their answer.
    expect(answered()).to.equal(50);
    expect(await openIn(server)).to.equal(MAX + 50);
    times.advance(times.clientClose);
    await untilOpen(MAX, 'the refused connections remained open');
  });
});

describe('the connection limit', () => {
  afterEach(endClients);

  it('is 200 per address by default, and off behind a proxy or without rate limits, unless it is set', () => {
    expect(maxConnections(readConfig({}))).to.equal(200);
    for (const [env, expected] of [
      [{ TRUST_PROXY: '1' }, Number.POSITIVE_INFINITY],
      [{ RATE_LIMITS: 'off' }, Number.POSITIVE_INFINITY],
      [{ TRUST_PROXY: '1', MAX_CONNECTIONS_PER_ADDRESS: '7' }, 7],
      [{ MAX_CONNECTIONS_PER_ADDRESS: '7' }, 7],
      [{ MAX_CONNECTIONS_PER_ADDRESS: '0' }, Number.POSITIVE_INFINITY],
    ] as const) {
      expect(maxConnections(readConfig(env)), JSON.stringify(env)).to.equal(expected);
    }
  });

  it('holds for a server of the service, which answers 400 to a malformed request', async () => {
    for (const wrong of ['no request\r\n\r\n', `GET / HTTP/1.1\r\nHost: x\r\nBig: ${'x'.repeat(20_000)}\r\n\r\n`]) {
      const server = limitedServer(readConfig({ MAX_CONNECTIONS_PER_ADDRESS: '1' }), pino({ level: 'silent' }));
      const port = await portOf(server);
      const two = [halfOpen(port), halfOpen(port)];
      const hasAnswer = (answer: RegExp) => two.some(({ text }) => answer.test(text));
      await eventually(() => hasAnswer(/^HTTP\/1\.1 429 .*"success":false/s), 'no connection was refused');
      two.find(({ text }) => text === '')?.socket.write(wrong);
      const malformed =
        /^HTTP\/1\.1 400 Bad Request.*X-Frame-Options: DENY.*"success":false,"error":"Malformed request".*"BAD_REQUEST"/s;
      await eventually(() => hasAnswer(malformed), 'no 400 arrived');
      server.close();
    }
  });
});

describe('the request timeouts', () => {
  afterEach(endClients);

  it('are 10 seconds for the headers and 30 for the request, checked every second', () => {
    expect(limitedServer(readConfig({}), pino({ level: 'silent' }))).to.include({
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      connectionsCheckingInterval: 1000,
    });
  });

  it('close the connection with 408, even if the client keeps its side open', async () => {
    const off = { headersTimeout: 0, requestTimeout: 0, connectionsCheckingInterval: 1 };
    const server = createServer(off, (req) => req.resume());
    const times = manualTimes();
    server.on('clientError', answerClientError(times));
    // The number of bytes that have arrived over all connections.
    let received = () => 0;
    server.on('connection', (socket) => {
      const before = received;
      received = () => before() + socket.bytesRead;
    });
    const port = await portOf(server);
    const texts = ['', 'GET / HTTP/1.1\r\nHost: x\r\n', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'];
    const slow = texts.map((text) => halfOpen(port, text));
    const sent = texts.join('').length;
    await eventually(async () => (await openIn(server)) === slow.length && received() === sent, 'not all has arrived');
    // These timeouts of Node.js run on the real clock, so they are made short. All data has arrived before, because data that
    // arrived after a 408 would begin another request.
    Object.assign(server, { headersTimeout: 1, requestTimeout: 1 });
    const isTimeout = ({ text }: Client) => /^HTTP\/1\.1 408 .*X-Frame-Options: DENY.*"error":"Request timeout"/s.test(text);
    await eventually(() => slow.every(isTimeout), 'no 408 arrived');
    expect(await openIn(server)).to.equal(slow.length);
    times.advance(times.clientClose);
    await eventually(async () => (await openIn(server)) === 0, 'the connections remained open');
    server.close();
  });

  it('end a request with 503 if it takes too long, but not while it is being received', async () => {
    const times = manualTimes();
    let received = false;
    const ended = thrownBy(withinDeadline(times, new Promise<never>(() => {}), () => received));
    times.advance(3 * times.request);
    received = true;
    expect(times.waiting).to.deep.equal([times.request]);
    times.advance(times.request);
    expect(await ended).to.include({ code: 'TIMED_OUT', status: 503 });
  });
});
