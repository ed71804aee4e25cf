import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ethersMarket } from '../../../src/chain/market.js';
import type { Deps } from '../../../src/deps.js';
import { type Database, openDatabase } from '../../../src/store/database.js';
import { openSql } from '../../../src/store/sql.js';
import { PostgresServer, postgresPrograms } from '../../faults/support/postgres.js';
import { oracle } from '../market/oracle.js';
import { startTraffic, type Traffic } from '../market/traffic.js';
import { endProcesses, freshDirectory, getJson, type Running, run } from '../service/process.js';
import { testTimes } from '../times.js';
import { CHAIN_ID, type TestChain, testChain } from './chain.js';
import { storedFacts } from './facts.js';
import { Relay } from './relay.js';

export type Replicas = {
  readonly chain: TestChain;
  readonly relays: readonly [Relay, Relay];
  readonly replicas: readonly Running[];
  /** The wallet of an agent whose tickets are traded. */
  readonly agent: string;
  /** Makes trades for the given time, by traders with unlimited ether. */
  trade(milliseconds: number): Promise<void>;
  /** Returns the milliseconds until all replicas are ready and the index equals a fresh one. */
  recovery(): Promise<number>;
};

/** Starts three replicas of the service over two RPC URLs and a private PostgreSQL server, for the calling suite. */
export function useReplicas(seed: number): Replicas {
  const made = {} as { -readonly [K in keyof Replicas]: Replicas[K] };
  let postgres: PostgresServer | undefined;
  let orm: Database | undefined;
  let deps: Pick<Deps, 'sql'>;
  let traffic: Traffic;

  before(async function () {
    if (postgresPrograms() === undefined) {
      process.stdout.write('      skipped: initdb and postgres are not installed\n');
      this.skip();
    }
    made.chain = await testChain();
    await made.chain.resetToRealTime();
    traffic = await startTraffic(made.chain, seed);
    made.agent = traffic.traders[0]?.wallet ?? '';
    const { rpcUrl, contract } = made.chain;
    made.relays = [await Relay.start(rpcUrl, seed), await Relay.start(rpcUrl, seed + 1)];
    postgres = await PostgresServer.start();
    const { url } = postgres;
    const env = {
      DATABASE_URL: url,
      RPC_URL: made.relays.map((relay) => relay.url).join(','),
      CHAIN_ID: String(CHAIN_ID),
      CONTRACT_ADDRESS: contract,
      SOCIAL_TEXT_PROXY: 'http://127.0.0.1:1/{url}',
      CONFIRMATIONS: '1',
      START_BLOCK: '1',
      RATE_LIMITS: 'off',
      SECRET_KEY: 'a secret key of the tests, long enough',
    };
    const replicas: Running[] = [];
    made.replicas = replicas;
    for (let i = 0; i < 3; i++) {
      const replica = run({ env: { ...env, DATA_DIR: freshDirectory() } });
      replicas.push(replica);
      await replica.ready();
    }
    orm = await openDatabase({ url }, { times: testTimes });
    deps = { sql: await openSql(orm) };
  });
  after(async () => {
    await endProcesses();
    await orm?.close(true);
    await postgres?.stop();
    for (const relay of made.relays ?? []) await relay.stop();
  });

  const readyIn = async (replica: Running, since: number): Promise<number> => {
    for (;;) {
      const answer = await getJson(`${replica.url}/ready`).catch(() => undefined);
      const index = answer?.body.index as { lagBlocks?: number } | undefined;
      if (answer?.status === 200 && (index?.lagBlocks ?? 99) <= 1) return performance.now() - since;
      if (performance.now() - since > 60_000) {
        throw new Error(`not ready: ${JSON.stringify(answer)}; ${replica.stdout.slice(-3000)}`);
      }
      await sleep(50);
    }
  };
  const wholeIn = async (since: number): Promise<number> => {
    const market = ethersMarket(made.chain.provider, { chainId: CHAIN_ID, ...made.chain });
    for (;;) {
      const { facts } = await market.range(1, (await made.chain.provider.getBlockNumber()) - 1);
      const [stored, expected] = [await storedFacts(deps as Deps), oracle(facts)];
      if (JSON.stringify(stored) === JSON.stringify(expected)) return performance.now() - since;
      if (performance.now() - since > 60_000) expect(stored).to.deep.equal(expected);
      await sleep(100);
    }
  };
  made.trade = async (milliseconds) => {
    const end = Date.now() + milliseconds;
    for (let i = 0; Date.now() < end; i++) {
      for (const { wallet } of i % 10 === 0 ? traffic.traders : []) {
        await made.chain.provider.send('anvil_setBalance', [wallet, '0x56bc75e2d63100000']);
      }
      await traffic.act(1);
      await sleep(150);
    }
  };
  made.recovery = async () => {
    const since = performance.now();
    await traffic.act(2);
    await made.chain.provider.send('anvil_mine', ['0x1']);
    const times = await Promise.all([...made.replicas.map((replica) => readyIn(replica, since)), wholeIn(since)]);
    return Math.round(Math.max(...times));
  };
  return made;
}
