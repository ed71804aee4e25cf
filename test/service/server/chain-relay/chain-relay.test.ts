import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, type Server } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { expect } from 'chai';
import { ConfigError } from '../../../../src/config/config.js';
import { type ChainRelay, startChainRelay } from '../../../../src/server/chain-relay/chain-relay.js';
import { testChain } from '../../../support/chain/chain.js';
import { listen } from '../../../support/service/listen.js';
import { chainPort, rpc } from '../../../support/service/process.js';
import { rawAsk, talk } from '../../../support/service/raw-requests.js';
import { testTimes } from '../../../support/times.js';

const OWN = 'http://127.0.0.1:4000';
const EXTENSIONS = [
  'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn',
  'moz-extension://0a1b2c3d-0000-4000-8000-0123456789ab',
  'safari-web-extension://0A1B2C3D-0000-4000-8000-0123456789AB',
];
const FOREIGN = [
  'https://evil.test',
  'http://127.0.0.1:4001',
  'http://localhost:3000',
  'null',
  '',
  `${OWN}/`,
  `${OWN}.evil.test`,
  `${OWN}, https://evil.test`,
  'https://chrome-extension://x',
  'chrome-extension://x/https://evil.test',
];

type Asked = { readonly method?: string; readonly headers?: OutgoingHttpHeaders; readonly body?: string };

const call = (method: string, ...params: unknown[]): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const json = { 'content-type': 'application/json' };

/** Sends a request over a raw HTTP client, because fetch does not let a test set every header, such as Host. */
const ask = (url: string, { method = 'POST', headers = {}, body = call('eth_chainId') }: Asked = {}) =>
  rawAsk(url, new URL(url).pathname, { method, headers }, method === 'POST' ? body : undefined);

describe('the relay to the embedded chain', () => {
  const open: (() => unknown)[] = [];
  const relayTo = async (target: string, port = Number(chainPort())): Promise<ChainRelay> => {
    const relay = await startChainRelay({ target, port, isAllowed: (origin) => origin === OWN, times: testTimes });
    open.push(() => relay.close().catch(() => {}));
    return relay;
  };
  const toChain = async (): Promise<string> => (await relayTo((await testChain()).rpcUrl)).url;
  /** A relay to a fake chain that records every request it receives. */
  const toNobody = async (): Promise<{ url: string; port: number; reached: string[] }> => {
    const reached: string[] = [];
    const server: Server = createServer((req, res) => {
      reached.push(`${req.method} ${req.url}`);
      res.setHeader('access-control-allow-origin', '*').setHeader('x-chain', '1').end('{}');
    });
    const { url } = await relayTo(await listen(server));
    open.push(() => server.close());
    return { url, port: Number(new URL(url).port), reached };
  };
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });

  it('allows every method to programs, single or in a batch, with any content type', async () => {
    const url = await toChain();
    expect(await rpc(url, 'eth_chainId')).to.equal('0x14a34');
    expect(await rpc(url, 'anvil_nodeInfo')).to.have.property('hardFork');
    for (const headers of [{}, json, { 'content-type': 'text/plain' }, { 'sec-fetch-site': 'none' }]) {
      const { status, text } = await ask(url, { headers });
      expect([status, JSON.parse(text).result]).to.deep.equal([200, '0x14a34']);
    }
    const { text } = await ask(url, { body: `[${call('eth_chainId')},${call('eth_blockNumber')}]` });
    expect(JSON.parse(text)).to.have.length(2);
  });

  it('refuses pages of foreign origins and cross-site requests without contacting the chain', async () => {
    const { url, reached } = await toNobody();
    for (const origin of FOREIGN) {
      for (const method of ['POST', 'OPTIONS', 'GET']) {
        const { status, headers, text } = await ask(url, {
          method,
          headers: { origin, 'content-type': 'text/plain', 'access-control-request-method': 'POST' },
        });
        expect([status, JSON.parse(text).error], `${method} ${origin}`).to.deep.equal([403, 'Origin not allowed']);
        expect(headers).to.not.have.property('access-control-allow-origin');
        expect(headers.vary).to.equal('Origin');
      }
    }
    // Browsers omit the Origin header in some requests, so the relay must also refuse foreign pages by Sec-Fetch-Site.
    for (const site of ['cross-site', 'same-site']) {
      expect((await ask(url, { headers: { 'sec-fetch-site': site } })).status).to.equal(403);
    }
    expect(reached).to.deep.equal([]);
  });

  it('answers only under loopback host names, which prevents DNS rebinding', async () => {
    const { url, port, reached } = await toNobody();
    for (const host of [`evil.test:${port}`, 'evil.test', '127.0.0.1', '127.0.0.1:1', `127.0.0.1.evil.test:${port}`]) {
      const { status, text } = await ask(url, { headers: { host } });
      expect([status, JSON.parse(text).error], host).to.deep.equal([403, 'Host not allowed']);
      // After DNS rebinding, the browser treats such a page as same-origin, so an Origin that equals the Host must not help.
      expect((await ask(url, { headers: { host, origin: `http://${host}` } })).status).to.equal(403);
    }
    expect(reached).to.deep.equal([]);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `LocalHost:${port}`]) {
      expect((await ask(url, { headers: { host } })).status, host).to.equal(200);
    }
    // HTTP/1.0 allows a request without a Host header. The relay must refuse it, too.
    const bytes = 'POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n';
    expect(await talk(url, bytes, { ends: true })).to.match(/^HTTP\/1\.1 403 /);
  });

  it('listens at one loopback address only', async () => {
    const { port } = await toNobody();
    expect(await ask(`http://127.0.0.2:${port}`).catch(({ code }) => code)).to.equal('ECONNREFUSED');
  });

  it('sends CORS headers only to allowed origins and browser extensions', async () => {
    const { url } = await toNobody();
    for (const origin of [OWN, ...EXTENSIONS]) {
      const preflight = await ask(url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type',
          'access-control-request-private-network': 'true',
        },
      });
      expect(preflight.status).to.equal(204);
      expect(preflight.headers).to.include({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'Content-Type',
        'access-control-allow-private-network': 'true',
        vary: 'Origin',
      });
      const answer = await ask(url, { headers: { origin, ...json } });
      expect(answer.status).to.equal(200);
      expect(answer.headers).to.include({ 'access-control-allow-origin': origin, vary: 'Origin' });
    }
    const program = await ask(url);
    expect(program.headers).to.not.have.any.keys('access-control-allow-origin', 'x-chain');
    const plain = await ask(url, { method: 'OPTIONS', headers: { origin: OWN } });
    expect(plain.headers).to.not.have.property('access-control-allow-private-network');
  });

  it('allows pages and extensions only to read and to send signed transactions', async () => {
    const url = await toChain();
    for (const origin of [OWN, ...EXTENSIONS]) {
      const said = async (body: string) => JSON.parse((await ask(url, { headers: { origin, ...json }, body })).text);
      expect(await said(call('eth_chainId'))).to.deep.equal({ jsonrpc: '2.0', id: 1, result: '0x14a34' });
      expect(await said(`[${call('net_version')},${call('eth_chainId')}]`)).to.have.length(2);
      for (const method of ['anvil_reset', 'evm_mine', 'eth_sendTransaction', 'eth_sign', 'personal_sign', 'x'.repeat(99)]) {
        const error = { code: -32601, message: `Web pages and extensions cannot call ${method.slice(0, 60)}` };
        const refused = { jsonrpc: '2.0', id: 1, error };
        expect(await said(call(method))).to.deep.equal(refused);
        expect(await said(`[${call('eth_chainId')},${call(method)}]`)).to.deep.equal([refused, refused]);
      }
      // The relay limits the gas of a simulation, so an endless loop runs out of gas and the chain keeps mining.
      const endless = call('eth_call', { data: '0x5b600056', gas: '0xffffffffffffff' }, 'latest');
      expect((await said(endless)).error.message).to.match(/out ?of ?gas/i);
    }
  });

  it('opens no WebSocket, because browsers let any page open one', async () => {
    const { url, reached } = await toNobody();
    for (const [origin, expected] of [
      [{}, 405],
      [{ origin: OWN }, 405],
      [{ origin: 'https://evil.test' }, 403],
    ] as const) {
      const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', ...origin };
      expect((await ask(url, { method: 'GET', headers })).status).to.equal(expected);
    }
    expect(reached).to.deep.equal([]);
  });

  it('limits bodies to 2 MB', async () => {
    const { url, reached } = await toNobody();
    const large = 'x'.repeat(2 * 1024 * 1024 + 1);
    const { status, text } = await ask(url, { body: large });
    expect([status, JSON.parse(text).error]).to.deep.equal([400, 'Request body too large']);
    expect(reached).to.deep.equal([]);
  });

  it('answers 405 to methods other than POST, and 503 when the chain is unreachable', async () => {
    const url = await toChain();
    const got = await ask(url, { method: 'GET' });
    expect([got.status, got.headers.allow]).to.deep.equal([405, 'POST']);
    const away = await relayTo('http://127.0.0.1:1');
    const { status, text } = await ask(away.url);
    expect([status, JSON.parse(text).error]).to.deep.equal([503, 'Chain RPC unavailable']);
    expect((await ask(url)).status).to.equal(200);
  });

  it('uses the next free port, and fails when no port is free', async () => {
    const port = Number(chainPort());
    const other = createTcpServer();
    await new Promise<void>((resolve) => other.once('error', resolve).listen(port, '127.0.0.1', resolve));
    open.push(() => other.close());
    const { url } = await relayTo('http://127.0.0.1:1', port);
    expect(Number(new URL(url).port)).to.be.within(port + 1, port + 99);
    const last = createTcpServer();
    await new Promise<void>((resolve) => last.once('error', resolve).listen(65_535, '127.0.0.1', resolve));
    open.push(() => last.close());
    const error = await relayTo('http://127.0.0.1:1', 65_535).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ConfigError).with.property('message', 'CHAIN_PORT: no free port from 65535 on');
  });

  it('closes every connection when it stops', async () => {
    const silent = createServer(() => {});
    const target = await listen(silent);
    open.push(() => silent.close());
    open.push(() => silent.closeAllConnections());
    const relay = await relayTo(target);
    const received = once(silent, 'request');
    const unanswered = ask(relay.url).catch(() => 'ended');
    const idle = connect(Number(new URL(relay.url).port), '127.0.0.1');
    await Promise.all([received, once(idle, 'connect')]);
    await relay.close();
    expect(await unanswered).to.equal('ended');
    expect(await ask(relay.url).catch(({ code }) => code)).to.equal('ECONNREFUSED');
    idle.destroy();
  });
});
