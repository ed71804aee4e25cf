import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { expect } from 'chai';
import { type TestChain, testChain } from '../../support/chain/chain.js';
import { join as joinMarket } from '../../support/market/agents.js';
import { print } from '../../support/print.js';
import { type Certificate, ExampleProxy, selfSigned } from '../../support/proxy/nginx.js';
import { freePort } from '../../support/servers/ports.js';
import { PostgresServer } from '../../support/servers/postgres.js';
import { endProcesses, eventually, type Running, run } from '../../support/service/process.js';
import { replicaEnv } from '../faults/support/replicas.js';
import { describeDrill } from './support/drill.js';
import { Runbook } from './support/runbook-commands.js';

const WRITERS = 6;
/** Time in which old nginx workers accept their last connections and send their last requests to the replica. */
const DRAIN_MS = 1500;

type Sent = { readonly status: number; readonly error?: string; readonly serial?: string };

describeDrill('the runbooks of the example proxy under traffic', ['nginx'], () => {
  const book = new Runbook();
  let postgres: PostgresServer;
  let chain: TestChain;
  let proxy: ExampleProxy;
  let ports: number[];
  let keys: string[];
  const replicas: Running[] = [];
  const trusted: string[] = [];
  const variables = (more: Record<string, string> = {}) => ({
    NGINX: proxy.command,
    NGINX_CONF: proxy.configuration,
    TLS_DIR: proxy.tls,
    ...more,
  });

  async function start(i: number): Promise<void> {
    const env = { ...replicaEnv(chain), DATABASE_URL: postgres.url, TRUST_PROXY: '1', PORT: String(ports[i]) };
    const replica = run({ env });
    await replica.ready();
    replicas[i] = replica;
  }

  before(async () => {
    chain = await testChain();
    await chain.resetToRealTime();
    postgres = await PostgresServer.start();
    ports = [await freePort(), await freePort()];
    await start(0);
    await start(1);
    const [first, second] = ports.map((port) => `127.0.0.1:${port}`) as [string, string];
    // All traffic comes from one address, whose usual rate limit would refuse most of it.
    proxy = await ExampleProxy.start([first, second], (text) => text.replace('rate=20r/s', 'rate=5000r/s'));
    trusted.push(readFileSync(join(proxy.tls, 'fullchain.pem'), 'utf8'));
    keys = [];
    for (let i = 0; i < WRITERS; i++) keys.push((await joinMarket(chain, `http://${first}`, `Proxied ${i}`)).key);
  });
  after(async () => {
    await proxy?.stop();
    await endProcesses();
    await postgres?.stop();
  });

  const options = () => ({ host: '127.0.0.1', port: proxy.tlsPort, servername: 'localhost', ca: trusted });

  /** Sends a post over a new connection. The connection fails unless the proxy has a certificate in `trusted`. */
  function post(key: string, text: string): Promise<Sent> {
    return new Promise((resolve) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const place = { ...options(), path: '/api/feed', method: 'POST', headers, agent: false as const };
      const sent = request(place, (answer) => {
        const { serialNumber: serial } = (answer.socket as TLSSocket).getPeerCertificate();
        answer.resume().on('end', () => resolve({ status: answer.statusCode ?? 0, serial }));
      });
      sent.on('error', (error) => resolve({ status: 0, error: error.message }));
      sent.end(JSON.stringify({ text }));
    });
  }

  /** Posts without a pause while `work` runs. Checks that every post was accepted, and was stored exactly once. */
  async function underTraffic(label: string, work: () => Promise<void>): Promise<Sent[]> {
    let over = false;
    const sent: Sent[] = [];
    const writers = keys.map(async (key, writer) => {
      for (let i = 0; !over; i++) sent.push(await post(key, `${label} ${writer} ${i}`));
    });
    try {
      await work();
    } finally {
      over = true;
      await Promise.all(writers);
    }
    expect(sent.filter(({ status }) => status !== 201).slice(0, 3)).to.deep.equal([]);
    const like = [`${label} %`];
    const [row] = await postgres.query<{ n: string }>('select count(*) as n from agent_activity where text like $1', like);
    expect(Number(row?.n)).to.equal(sent.length).and.to.be.above(50);
    print(`${sent.length} posts meanwhile, none refused`);
    return sent;
  }

  it('restart replicas one after the other without losing a request', async () => {
    const before = readFileSync(proxy.configuration, 'utf8');
    await underTraffic('Restart', async () => {
      for (const [i, port] of ports.entries()) {
        const replica = variables({ REPLICA: `127.0.0.1:${port}` });
        await book.run('take-out', replica);
        expect(readFileSync(proxy.configuration, 'utf8').match(/ down;/g)).to.have.length(1);
        await sleep(DRAIN_MS);
        expect(await replicas[i]?.stop()).to.include({ code: 0 });
        await start(i);
        await book.run('put-back', replica);
      }
    });
    expect(readFileSync(proxy.configuration, 'utf8')).to.equal(before);
  });

  const serialOf = (path: string) => new X509Certificate(readFileSync(path)).serialNumber;
  const shown = async (): Promise<string> => {
    const out = await book.run('shown-certificate', variables({ PROXY: `127.0.0.1:${proxy.tlsPort}` }));
    return /^serial=(\w+)$/m.exec(out)?.[1] ?? out;
  };
  const renewal = ({ certificate, key }: Certificate) => variables({ NEW_CERTIFICATE: certificate, NEW_CERTIFICATE_KEY: key });

  it('refuse a certificate that ends soon, or that belongs to another key', async () => {
    const { directory } = proxy;
    const files = () => ['fullchain.pem', 'privkey.pem'].map((name) => readFileSync(join(proxy.tls, name), 'utf8'));
    const before = [files(), await shown()];
    const [short, sound] = [selfSigned(directory, 'short', 1), selfSigned(directory, 'sound')];
    // `short` is valid for a day. A second later, it ends in less than a day, which the runbook refuses.
    await sleep(1000);
    for (const pair of [short, { ...sound, key: short.key }, { ...sound, certificate: '/nowhere' }]) {
      expect((await book.try('renew-certificate', renewal(pair))).code).to.be.above(0);
      expect([files(), await shown()]).to.deep.equal(before);
    }
  });

  it('renew the certificate while connections stay open', async () => {
    const old = serialOf(join(proxy.tls, 'fullchain.pem'));
    const next = selfSigned(proxy.directory, 'next', 30);
    trusted.push(readFileSync(next.certificate, 'utf8'));
    const query = encodeURIComponent('subscription { feedEvent { sequence } }');
    const stream = request({ ...options(), path: `/graphql?query=${query}`, headers: { accept: 'text/event-stream' } });
    stream.end();
    const [events] = (await once(stream, 'response')) as [IncomingMessage];
    let received = '';
    events.on('data', (chunk) => {
      received += chunk;
    });
    expect(await shown()).to.equal(old);
    const sent = await underTraffic('Renewal', async () => {
      // The pauses leave time for posts before and after the renewal.
      await sleep(500);
      await book.run('renew-certificate', renewal(next));
      await eventually(async () => (await shown()) === serialOf(next.certificate), 'the old certificate is shown');
      await sleep(1000);
    });
    const serials = sent.map(({ serial }) => serial);
    expect(new Set(serials)).to.deep.equal(new Set([old, serialOf(next.certificate)]));
    expect(serials.at(-1)).to.equal(serialOf(next.certificate));
    received = '';
    expect((await post(keys[0] as string, 'After the renewal')).status).to.equal(201);
    await eventually(() => received.includes('"feedEvent"'), 'the open stream gets no event');
    events.destroy();
    expect(proxy.complaints.split('\n').filter((line) => /\[(emerg|alert|crit)\]/.test(line))).to.deep.equal([]);
  });
});
