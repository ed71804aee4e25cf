import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { keyReplacementMessage } from '../../../src/features/agents/keys/rules.js';
import { CHAIN_ID, type TestChain, testChain } from '../../support/chain/chain.js';
import { Relay } from '../../support/chain/relay.js';
import { newTrader } from '../../support/market/traders.js';
import { print } from '../../support/print.js';
import { outcomeOf } from '../../support/refused.js';
import { queryAt } from '../../support/servers/postgres.js';
import { RedisServer } from '../../support/servers/redis.js';
import { endProcesses, eventually, getJson, type Running, run } from '../../support/service/process.js';
import { ask } from '../../support/world.js';
import { Crowd } from '../faults/support/crowd.js';
import { expectStored, replicaEnv } from '../faults/support/replicas.js';
import { newestSequence, Watcher } from '../faults/support/watcher.js';
import { Caller } from './support/caller.js';
import { Cluster, urlOf } from './support/cluster.js';
import { describeDrill } from './support/drill.js';
import { Fleet } from './support/fleet.js';
import { Provider } from './support/provider.js';
import { Runbook } from './support/runbook-commands.js';
import { Witness } from './support/witness.js';

const PUBLIC_URL = 'http://curvet.test';
/** Number of agents that write. More of them would overload a small machine, so that the service would refuse requests. */
const WRITERS = 4;

describeDrill('rotations under traffic', ['redis-server'], () => {
  const book = new Runbook();
  let cluster: Cluster;
  let redis: RedisServer;
  let chain: TestChain;
  let relays: { readonly first: Relay; readonly second: Relay };
  let provider: Provider;
  let fleet: Fleet;
  let crowd: Crowd;
  let witness: Witness;
  let watcher: Watcher;
  const database = {
    query: <Row extends object>(text: string, values?: unknown[]) =>
      queryAt<Row>(urlOf(cluster.port, undefined, undefined, 'curvet'), text, values),
  };
  const redisUrl = (password: string) => `redis://default:${password}@127.0.0.1:${redis.port}`;
  const newSecret = async () => (await book.run('new-secret', {})).trim();

  before(async () => {
    chain = await testChain();
    await chain.resetToRealTime();
    cluster = await Cluster.start();
    redis = await RedisServer.start();
    relays = { first: await Relay.start(chain.rpcUrl), second: await Relay.start(chain.rpcUrl) };
    provider = await Provider.start();
    await book.run('create-database', { SUPERUSER_URL: cluster.url, PASSWORD: 'first' });
    // Redis has no password yet, so this replaces the commands of the runbook, which add a second one.
    const setFirst = 'redis-cli -e -u "$REDIS_URL" ACL SETUSER default resetpass ">$NEW_PASSWORD"';
    await book.run('second-redis-password', { REDIS_URL: redis.url, NEW_PASSWORD: 'first' }, setFirst);
    fleet = await Fleet.start({
      ...replicaEnv({ ...chain, rpcUrl: relays.first.url }),
      ...(await book.settings('new-urls', provider.variables('first'))),
      // Few traces, which are sent every 200 ms: enough to see the key with which they are sent.
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
      OTEL_BSP_SCHEDULE_DELAY: '200',
      DATABASE_URL: urlOf(cluster.port, 'curvet_a', 'first', 'curvet'),
      REDIS_URL: redisUrl('first'),
      CRON_SECRET: await newSecret(),
      WEBHOOK_SIGNING_KEY: await newSecret(),
      SECRET_KEY: await newSecret(),
      KEY_REPLACEMENT: 'on',
      PUBLIC_URL,
    });
    crowd = await Crowd.gather(chain, fleet.url, WRITERS, Date.now());
    witness = await Witness.join(chain, fleet.url, crowd.promised.agents[0] as string);
    watcher = new Watcher('trade', fleet.urls, await newestSequence(database));
    watcher.start();
    crowd.start([fleet.url]);
  });
  after(async () => {
    await crowd?.stop();
    await watcher?.stop();
    fleet?.proxy.close();
    fleet?.proxy.closeAllConnections();
    await endProcesses();
    provider?.stop();
    for (const relay of Object.values(relays ?? {})) await relay.stop();
    await redis?.stop();
    cluster?.stopAll();
  });

  /**
   * Runs a rotation while the agents write. Checks that no write was refused, and that the key, the cursor
   * and the stored answer of `witness` still work.
   */
  async function withoutRefusals(rotation: () => Promise<void>): Promise<void> {
    const from = crowd.replies.length;
    await rotation();
    await sleep(500);
    const replies = crowd.replies.slice(from);
    const refused = replies.filter(({ status }) => status === 0 || status === 401 || status === 403 || status >= 500);
    expect(refused.slice(0, 3)).to.deep.equal([]);
    expect(replies.length).to.be.above(20);
    await witness.check(fleet.url);
    print(`${replies.length} writes meanwhile, none refused`);
  }
  /** The status of a call at each replica. The calls bypass the proxy. */
  const statuses = (call: (url: string) => Promise<Response>) =>
    Promise.all(fleet.urls.map(async (url) => (await call(url)).status));
  const refuses = (url: string): Promise<string> => outcomeOf(queryAt(url, 'select 1'));

  /** Rotates a secret that external callers send. No call may be refused meanwhile. Afterwards, only the new secret is accepted. */
  async function rotateSecret(
    name: 'CRON_SECRET' | 'WEBHOOK_SIGNING_KEY',
    [both, only]: readonly [() => Promise<Record<string, string>>, () => Promise<Record<string, string>>],
    call: (url: string, secret: string) => Promise<Response>,
    { OLD_SECRET, NEW_SECRET }: { readonly OLD_SECRET: string; readonly NEW_SECRET: string },
  ): Promise<void> {
    expect(fleet.settings[name]).to.equal(OLD_SECRET);
    await withoutRefusals(async () => {
      expect(await statuses((url) => call(url, NEW_SECRET))).to.deep.equal([401, 401]);
      const early = new Caller(() => call(fleet.url, OLD_SECRET));
      await fleet.roll(await both());
      // The commands send the first secret of the setting. It must be the old one, because
      // replicas before their restart only accept that.
      expect(String(fleet.settings[name]).split(' ')).to.deep.equal([OLD_SECRET, NEW_SECRET]);
      expect(await early.stop()).to.deep.equal(['200']);
      expect(await statuses((url) => call(url, OLD_SECRET))).to.deep.equal([200, 200]);
      const late = new Caller(() => call(fleet.url, NEW_SECRET));
      await fleet.roll(await only());
      expect(await late.stop()).to.deep.equal(['200']);
      expect(await statuses((url) => call(url, NEW_SECRET))).to.deep.equal([200, 200]);
      expect(await statuses((url) => call(url, OLD_SECRET))).to.deep.equal([401, 401]);
    });
    expect(fleet.settings[name]).to.equal(NEW_SECRET);
  }

  it('of CRON_SECRET never refuse a caller, and end with the old secret refused', async () => {
    const secrets = { OLD_SECRET: String(fleet.settings.CRON_SECRET), NEW_SECRET: await newSecret() };
    const list = (url: string, secret: string) =>
      fetch(`${url}/internal/moderation/list`, { method: 'POST', headers: { authorization: `Bearer ${secret}` } });
    const steps = [() => book.settings('both-cron-secrets', secrets), () => book.settings('new-cron-secret', secrets)] as const;
    await rotateSecret('CRON_SECRET', steps, list, secrets);
  });

  it('of WEBHOOK_SIGNING_KEY accept webhooks signed with either key until the old one is removed', async () => {
    const secrets = { OLD_SECRET: String(fleet.settings.WEBHOOK_SIGNING_KEY), NEW_SECRET: await newSecret() };
    const logs = [{ account: { address: chain.contract } }];
    const body = JSON.stringify({ event: { data: { block: { logs } } } });
    const send = (url: string, secret: string) =>
      fetch(`${url}/webhooks/chain`, {
        method: 'POST',
        headers: { 'x-alchemy-signature': createHmac('sha256', secret).update(body).digest('hex') },
        body,
      });
    const steps = [() => book.settings('both-signing-keys', secrets), () => book.settings('new-signing-key', secrets)] as const;
    await rotateSecret('WEBHOOK_SIGNING_KEY', steps, send, secrets);
  });

  it('of RPC_URL ask the new URL first, and the old one not at all at the end', async () => {
    const { first, second } = relays;
    const urls = { OLD_RPC_URL: first.url, NEW_RPC_URL: second.url };
    await withoutRefusals(async () => {
      expect(JSON.parse(await book.run('ask-rpc', urls)).result).to.equal(`0x${CHAIN_ID.toString(16)}`);
      await fleet.roll(await book.settings('both-rpcs', urls));
      await eventually(() => second.calls > 100, 'the new RPC is not asked');
      await fleet.roll(await book.settings('new-rpc', urls));
    });
    // The old URL must no longer be a fallback, so nothing may call it while the new one fails.
    const before = first.calls;
    await second.turn('refuse');
    expect(await statuses((url) => fetch(`${url}/api/price?agent=${witness.trader.wallet}`))).to.deep.equal([503, 503]);
    await second.turn(undefined);
    expect(first.calls).to.equal(before);
    await first.turn('refuse');
    await eventually(async () => (await statuses((url) => fetch(`${url}/ready`))).join() === '200,200', 'not ready');
    const late = run({ env: { ...fleet.settings, RPC_URL: first.url } });
    await late.ready();
    const [away] = late.log.filter(({ part }) => part === 'chain');
    expect(away).to.include({ msg: 'a part is unavailable' });
    expect(away?.reason).to.match(/ECONNREFUSED|refused/);
    expect((await getJson(`${late.url}/ready`)).status).to.equal(503);
    await late.stop();
  });

  it('of the keys in other URLs use only the new ones after the last restart', async () => {
    const use = async () => {
      for (const url of fleet.urls) {
        const agent = crowd.promised.agents[0];
        expect((await getJson(`${url}/api/price?agent=${agent}`)).status).to.equal(200);
        const body = { verificationCode: witness.code, tweetUrl: 'https://x.com/witness/status/1' };
        expect((await ask(url, 'POST', '/api/agents/verify', { body })).status).to.be.below(500);
      }
    };
    const asked = (key: string) => [`price ${key}`, `text ${key}`, `traces ${key} ${key}`];
    await use();
    await eventually(() => provider.asked.size === 3, 'traces are not sent');
    expect([...provider.asked].sort()).to.deep.equal(asked('first'));
    await withoutRefusals(async () => fleet.roll(await book.settings('new-urls', provider.variables('second'))));
    provider.asked.clear();
    provider.revoked.add('first');
    await use();
    await eventually(() => provider.asked.size === 3, 'traces are not sent');
    expect([...provider.asked].sort()).to.deep.equal(asked('second'));
  });

  it('of the password of PostgreSQL hand over to the second login, and end with the first one refused', async () => {
    const first = String(fleet.settings.DATABASE_URL);
    const second = urlOf(cluster.port, 'curvet_b', 'second', 'curvet');
    await withoutRefusals(async () => {
      expect(await refuses(second)).to.match(/password authentication failed/);
      await book.run('second-login', { SUPERUSER_URL: cluster.url, NEW_PASSWORD: 'second' });
      await fleet.roll({ DATABASE_URL: second });
      expect(await refuses(first)).to.equal('accepted');
      await book.run('remove-login', { SUPERUSER_URL: cluster.url });
    });
    expect(await refuses(first)).to.match(/password authentication failed|not permitted to log in/);
    expect(await refuses(second)).to.equal('accepted');
    const owners = await database.query("select distinct tableowner from pg_tables where schemaname = 'public'");
    expect(owners).to.deep.equal([{ tableowner: 'curvet' }]);
  });

  it('of the password of Redis keep every replica connected, and end with the first one refused', async () => {
    await withoutRefusals(async () => {
      await book.run('second-redis-password', { REDIS_URL: redisUrl('first'), NEW_PASSWORD: 'second' });
      await fleet.roll({ REDIS_URL: redisUrl('second') });
      await book.run('remove-redis-password', { NEW_REDIS_URL: redisUrl('second'), OLD_PASSWORD: 'first' });
    });
    // On a busy machine, a replica may miss Redis once. A replica with the wrong password never reaches Redis again.
    const lastOf = ({ log }: Running) => log.filter(({ part }) => part === 'redis').at(-1);
    const isConnected = (replica: Running) => (lastOf(replica)?.msg ?? 'the part is back') === 'the part is back';
    await eventually(() => fleet.replicas.every(isConnected), 'a replica has lost Redis');
    const late = run({ env: { ...fleet.settings, REDIS_URL: redisUrl('first') } });
    expect(await late.exited, 'the old password is still accepted').to.deep.equal({ code: 1, signal: null });
    expect(late.stderr).to.match(/^curvet: REDIS_URL: the value is not accepted; the server says: WRONGPASS [^\n]+\n$/);
  });

  it('of the API key of an agent end the old key at once, at each replica', async () => {
    const { key: old, trader } = witness;
    // A nonce must not contain spaces.
    const [time, nonce] = [new Date(), 'a nonce of the drill'.replaceAll(' ', '-')];
    const facts = { service: PUBLIC_URL, chainId: CHAIN_ID, wallet: trader.wallet, time, nonce };
    const signature = await trader.signer.signMessage(keyReplacementMessage(facts));
    const body = { walletAddress: trader.wallet, signature, signedAt: time.toISOString(), nonce };
    const replaced = await ask(fleet.url, 'POST', '/api/agents/key', { body });
    expect(replaced.status, JSON.stringify(replaced.body)).to.equal(200);
    const me = (key: string) => statuses((url) => fetch(`${url}/api/agents/me`, { headers: { 'x-api-key': key } }));
    expect(await me(old)).to.deep.equal([401, 401]);
    expect(await me(String(replaced.body.apiKey))).to.deep.equal([200, 200]);
    // Stored answers belong to the API key of their write, so the same write with the new key is executed again.
    witness.key = String(replaced.body.apiKey);
    expect(await witness.write(fleet.url)).to.equal('executed');
    await witness.check(fleet.url);
  });

  it('of SECRET_KEY pause the service for seconds, keep keys and cursors, and execute earlier retries again', async () => {
    const register = async (name: string) => {
      const trader = await newTrader(chain);
      await trader.register(name);
      const body = { name, walletAddress: trader.wallet, referredBy: witness.agentId };
      const answer = await ask(fleet.url, 'POST', '/api/agents', { body });
      return [answer.status, answer.body.error];
    };
    // Only a claimed agent can be a referrer, so this claims the witness in the database.
    const claim = "update agent set claimed_at = now(), social_handle = 'witness', claim_post_id = '1' where wallet = $1";
    await database.query(claim, [witness.trader.wallet]);
    // The service recognises a self-referral by a hash of the IP address with SECRET_KEY. With another key, the same address is not
    // recognised.
    expect(await register('Before')).to.deep.equal([400, 'Self-referral not allowed']);
    const from = crowd.replies.length;
    const settings = await book.settings('new-secret-key', { NEW_SECRET: await newSecret() });
    const pause = await fleet.restartTogether(settings);
    await sleep(1000);
    const failed = crowd.replies.slice(from).filter(({ status }) => status === 0 || status >= 500);
    // The proxy answers 502 while no replica accepts connections, so no other failure may occur.
    expect(failed.filter(({ status }) => status !== 502).slice(0, 3)).to.deep.equal([]);
    expect(failed.length).to.be.above(0);
    print(`${Math.round(pause)} ms without a replica`);
    expect(await witness.write(fleet.url)).to.equal('executed');
    await witness.check(fleet.url);
    expect(await register('After')).to.deep.equal([201, undefined]);
  });

  it('lose no confirmed write and no live event', async () => {
    await crowd.stop();
    await expectStored(database, crowd.promised);
    const events = await watcher.expectAll(database);
    expect(events).to.be.above(5);
    const { agents, posts, trades } = crowd.promised;
    print(`${agents.length} agents, ${posts.length} posts, ${trades.length} trades and ${events} events`);
  });
});
