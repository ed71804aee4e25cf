import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { startTraffic } from '../../support/market/traffic.js';
import { print } from '../../support/print.js';
import { seed, seeded } from '../../support/seed.js';
import { freePort } from '../../support/servers/ports.js';
import { useServers } from '../../support/servers.js';
import { type Running, run } from '../../support/service/process.js';
import { replicaEnv } from './support/replicas.js';
import { type MinedTrade, type Outcomes, submit, TradeMill } from './support/trade-mill.js';
import { expectSameRebuild, expectWholeIndex } from './support/whole-index.js';

/** Number of submitted trades. FAULT_SUBMISSIONS can lower it for a quick run. The checks of the project submit all 10,000. */
const SUBMISSIONS = Number(process.env.FAULT_SUBMISSIONS ?? 10_000);
const KILLS = 20;
const AGENTS = 24;
const CLIENTS = 32;
/** Number of trades in a block, and maximum number of mined trades that wait for their submission. */
const [IN_BLOCK, WAITING] = [40, 200];

describe(`a service that is killed ${KILLS} times during ${SUBMISSIONS} trade submissions (seed ${seed})`, function () {
  this.timeout(600_000);
  const servers = useServers();
  let env: Record<string, string>;
  let service: Running;
  const random = seeded(seed);

  before(async () => {
    const { postgres, chain } = servers;
    env = { ...replicaEnv(chain), DATABASE_URL: postgres.url, PORT: String(await freePort()) };
    await start();
  });

  /** Starts the service, and returns the milliseconds until it is ready. */
  async function start(): Promise<number> {
    const begun = performance.now();
    service = run({ env });
    await service.ready();
    return performance.now() - begun;
  }

  it('loses and duplicates nothing, and equals a rebuild from the chain', async () => {
    const { postgres, chain } = servers;
    const { url } = service;
    const mill = await TradeMill.open(chain, url, AGENTS, seed);
    const outcomes: Outcomes = { statuses: new Map(), refused: [], retries: 0 };
    const queue: MinedTrade[] = [];
    const submitted: MinedTrade[] = [];
    let [mined, done, ended] = [0, 0, false];

    const miner = async () => {
      while (mined < SUBMISSIONS) {
        if (queue.length >= WAITING) await sleep(5);
        else {
          const trades = await mill.mine(Math.min(IN_BLOCK, SUBMISSIONS - mined));
          mined += trades.length;
          queue.push(...trades);
        }
      }
    };
    const client = async () => {
      while (done < SUBMISSIONS && submitted.length < SUBMISSIONS) {
        const trade = queue.shift();
        if (trade === undefined) await sleep(5);
        else {
          submitted.push(trade);
          await submit(url, trade, outcomes);
          done++;
        }
      }
    };
    /** Makes registrations, withdrawals and trades that nobody submits, so only the index can find them. */
    const others = async () => {
      const traffic = await startTraffic(chain, seed + 1);
      while (!ended) {
        // The transaction may fail, because another trade may raise the price after the quote. The failure does not matter.
        await traffic.act(1).catch(() => {});
        await sleep(200);
      }
    };
    const starts: number[] = [];
    const killer = async () => {
      for (let kill = 1; kill <= KILLS; kill++) {
        const at = (SUBMISSIONS / (KILLS + 1)) * kill;
        while (done < at) await sleep(2);
        await sleep(random() * 30);
        service.kill('SIGKILL');
        await service.exited;
        starts.push(await start());
      }
    };
    const begun = performance.now();
    const acting = others();
    await Promise.all([miner(), killer(), ...Array.from({ length: CLIENTS }, client)]);
    const seconds = (performance.now() - begun) / 1000;
    ended = true;
    await acting;

    const answers = [...outcomes.statuses].map(([status, count]) => `${count} x ${status}`).join(', ');
    print(`${starts.length} kills, ${done} submissions in ${Math.round(seconds)} s: ${answers}, ${outcomes.retries} retries`);
    print(`slowest start ${Math.round(Math.max(...starts))} ms`);
    expect(outcomes.refused.slice(0, 3), 'refused submissions').to.deep.equal([]);
    expect([...outcomes.statuses.keys()].filter((status) => ![201, 409].includes(status))).to.deep.equal([]);
    expect(outcomes.retries, 'attempts that a kill cut off').to.be.greaterThan(KILLS);

    const records = await postgres.query<{ hash: string; author: string }>('select tx_hash as hash, author from thesis');
    const expected = submitted.map(({ wallet, body }) => `${body.txHash} ${wallet}`);
    const stored = records.map(({ hash, author }) => `${hash} ${author}`);
    expect(stored.length, 'records').to.equal(SUBMISSIONS);
    expect(new Set(stored)).to.deep.equal(new Set(expected));
    print(await expectWholeIndex(chain, postgres));

    await expectSameRebuild(postgres, env);
  });
});
