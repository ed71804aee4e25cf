import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Wallet } from 'ethers';
import { endProcesses, freshDirectory } from '../support/service/process.js';
import { curvet } from './support/command-line.js';
import { CHAIN, CONTRACT, fakeService, type Tamper } from './support/fake-service.js';
import { httpServer, type Relay } from './support/mcp.js';
import { patientClock } from './support/scripted.js';

const wallet = new Wallet(`0x${'22'.repeat(32)}`);
type Finding = { readonly check: string; readonly state: string; readonly detail: string };

describe('curvet doctor', () => {
  let server: Relay;
  let home: string;
  let tamper: Tamper = (_, answer) => answer;
  /** The answer to every request, instead of that of the service. */
  let refusal: (() => Response) | undefined;

  before(async () => {
    const honest = fakeService(wallet.address, (what, answer, request) => tamper(what, answer, request), patientClock);
    server = await httpServer(async (input, init) => {
      const isRpc = new URL(String(input)).pathname === '/rpc';
      if (refusal && !isRpc) return refusal();
      return honest(isRpc ? 'http://rpc.test/' : input, init);
    });
    home = freshDirectory();
    const limits = { chainId: CHAIN, contract: CONTRACT, perTrade: '1', perDay: '1', gas: '0.002' };
    writeFileSync(join(home, 'config.json'), JSON.stringify({ url: server.url, limits }));
  });
  after(async () => {
    await server?.close();
    await endProcesses();
  });
  afterEach(() => {
    tamper = (_, answer) => answer;
    refusal = undefined;
  });

  /** The findings of a client that does not wait between its attempts. */
  async function findings(): Promise<Record<string, Finding>> {
    const environment = {
      ...{ CURVET_HOME: home, CURVET_PRIVATE_KEY: wallet.privateKey, CURVET_API_KEY: 'K'.repeat(64) },
      CURVET_RPC_URL: `${server.url}/rpc`,
    };
    const { out, error } = await curvet(['doctor', '--json'], environment, { ...patientClock, sleep: async () => {} });
    expect(error).to.equal('');
    return Object.fromEntries((JSON.parse(out).findings as Finding[]).map((finding) => [finding.check, finding]));
  }
  const inContract =
    (more: object): Tamper =>
    (what, answer) =>
      what === '/api/contract' ? { ...answer, ...more } : answer;
  const journal = (deadline?: number) => {
    const entry = {
      ...{ id: 'x', kind: 'buy', terms: '{"agent":"0xa"}', wallet: wallet.address.toLowerCase(), nonce: 0 },
      ...{ attempts: [], atMost: '0', signedAt: Date.now(), deadline, state: 'signed', open: true },
    };
    writeFileSync(join(home, 'journal.json'), JSON.stringify({ version: 1, entries: [entry] }));
  };

  it('says how long a trade stays valid', async () => {
    expect((await findings()).deadline).to.deep.include({ state: 'ok' });
    expect((await findings()).deadline?.detail).to.match(/must be mined within 600 s, or within --deadline/);
    tamper = inContract({ overloads: false });
    expect((await findings()).deadline?.detail).to.match(/stays valid until it is mined/);
  });

  it('names a trade that is signed and not finished, with its deadline', async () => {
    const [now, day] = [Math.floor(Date.now() / 1000), 86_400];
    for (const [deadline, text] of [
      [undefined, /a buy is signed and not finished. It does not expire. Run it again: \{"agent"/],
      [now + day, /It expires at 20\d\d-.*Z\. Run it again:/],
      [now - day, /It expired at 20\d\d-.*Z\. Run it again: if it was not mined, it trades at the price of now:/],
    ] as const) {
      journal(deadline);
      const { deadline: found } = await findings();
      expect(found?.state).to.equal('problem');
      expect(found?.detail).to.match(text);
    }
    writeFileSync(join(home, 'journal.json'), JSON.stringify({ version: 1, entries: [] }));
  });

  it('says that the service has another public URL, which a registration would sign', async () => {
    expect((await findings()).service?.state).to.equal('ok');
    tamper = (what, answer) => (what === '/api' ? { ...answer, url: 'https://market.example' } : answer);
    const { service } = await findings();
    expect(service?.state).to.equal('problem');
    expect(service?.detail).to.match(/has the public URL https:\/\/market\.example\. .*Set PUBLIC_URL/);
  });

  it('says that gas is above the limit', async () => {
    tamper = (what, answer) => (what === 'eth_maxPriorityFeePerGas' ? { ...answer, result: '0x2540be4000' } : answer);
    const { gas } = await findings();
    expect(gas?.state).to.equal('problem');
    expect(gas?.detail).to.match(/gas can take 0\.03\d+ ETH now, and the limit is 0\.002 ETH/);
  });

  for (const [status, error] of [
    [503, 'Database busy'],
    [429, 'Too many requests'],
  ] as const) {
    it(`says that the service has too much load, or limits the caller, if it answers ${status}`, async () => {
      refusal = () =>
        Response.json({ success: false, error, hint: 'A hint.' }, { status, headers: { 'retry-after': '1' } });
      const { service } = await findings();
      expect(service?.state).to.equal('problem');
      expect(service?.detail).to.match(
        new RegExp(`^${error}\\. A hint\\. The service has too much load, .* wait 1 seconds`),
      );
    });
  }
});
