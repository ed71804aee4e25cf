import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { hashKey } from '../../src/keys.js';
import { insertMany, type Sql } from '../../src/store/sql.js';
import { createDatabase, dropDatabase } from '../dataset/databases.js';
import { codeOf, keyOf } from '../dataset/people.js';
import { median, quantile } from '../support/figures.js';
import { startFilledChain, startReading } from '../support/filled.js';
import { load, type Request } from '../support/load.js';
import { pinDatabase, startPeer } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { type Figures, inWords } from '../support/rounds.js';
import type { Server } from '../support/servers.js';
import { stopAll } from '../support/stops.js';

const NAME = `curvet_bench_buy_${process.pid}`;
const CONNECTIONS = 16;

/** Creates a profile and a key for every wallet that registered on the chain. */
async function giveProfiles(sql: Sql): Promise<Map<string, string>> {
  const markets = await sql<{ wallet: string; name: string; agent_id: string }>(
    'select wallet, name, agent_id from market order by wallet',
  );
  await insertMany(sql, 'agent', {
    wallet: ['varchar', markets.map(({ wallet }) => wallet)],
    name: ['varchar', markets.map(({ name }) => name)],
    agent_id: ['varchar', markets.map(({ agent_id }) => agent_id)],
    api_key_hash: ['bytea', markets.map((_, i) => `\\x${hashKey(keyOf(i)).toString('hex')}`)],
    verification_code: ['varchar', markets.map((_, i) => codeOf(i))],
    registration_ip: ['bytea', markets.map(() => `\\x${randomBytes(4).toString('hex')}`)],
    created_at: ['timestamptz', markets.map(() => new Date())],
  });
  return new Map(markets.map(({ wallet }, i) => [wallet, keyOf(i)]));
}

export const buy: Row = {
  name: 'buy',
  title: 'POST buy, verified and recorded, of trades on the chain, beside one receipt and one INSERT',
  explanation:
    'the database shares a core with the load generator. Both sides commit once, but the service needs three statements (key, trade, thesis record) where the peer needs one, and the peer trusts its receipt. Done so far: the agent is looked up only if the trade does not name it, record and position are one statement, and rounds are longer, because a few hundred requests end before the code is compiled. The first version reached 0.43 of the peer, and 0.46 a day later. The check for repeats, leases and time limits came after that and took it to 0.24. Since then the check is part of the statement that reads the trade: 0.25 to 0.29. The rest is round trips of the transaction, which the peer does not open',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    return stopAll(async (started) => {
      const chain = started(await startFilledChain(60_000));
      const database = await createDatabase(options.server, NAME);
      started({ stop: () => dropDatabase(options.server, NAME) });
      const product = started(await startReading(database, chain));
      const client = new pg.Client({ connectionString: database });
      await client.connect();
      started({ stop: () => client.end() });
      const sql = (async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows) as Sql;
      for (;;) {
        const [cursor] = await sql<{ block_number: string }>('select block_number from indexer_cursor');
        if (Number(cursor?.block_number) >= chain.head) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const keys = await giveProfiles(sql);
      await sql('analyze');
      // One trade per transaction: matching several is not part of the measurement.
      const bought = await sql<{ tx_hash: string; agent: string; trader: string; amount: number }>(
        `select distinct on (tx_hash) tx_hash, agent, trader, amount from transaction where type = 'AGENT_BUY'
         order by tx_hash, ordinal`,
      );
      const peer = started(await startPeer('receipt.mjs', database, chain.rpcUrl));
      const rounds = options.rounds + 1;
      const each = Math.floor(bought.length / rounds);
      const request = ({ tx_hash, agent, trader, amount }: (typeof bought)[number]): Request => ({
        path: '/api/tickets/buy',
        headers: { 'x-api-key': keys.get(trader) ?? '' },
        body: JSON.stringify({ txHash: tx_hash, agentAddress: agent, amount }),
      });
      /**
       * The service and its peer record the same purchases, and each purchase once, because a repeated recording is
       * refused.
       */
      const record = async (server: Server, round: number): Promise<Figures> => {
        const batch = bought.slice(round * each, (round + 1) * each);
        let next = 0;
        const before = server.cpu();
        const taken = await load(server.url, () => request(batch[next++] as (typeof bought)[number]), {
          connections: CONNECTIONS,
          seconds: 600,
          requests: batch.length,
        });
        return {
          perSecond: taken.requests / taken.seconds,
          cpu: (server.cpu() - before) / taken.requests,
          p50: quantile(taken.latencies, 0.5),
          p99: quantile(taken.latencies, 0.99),
        };
      };
      const [serviceRounds, peerRounds]: Figures[][] = [[], []];
      for (let round = 0; round < rounds; round++) {
        const [serviceFigures, peerFigures] = [await record(product, round), await record(peer, round)];
        if (round === 0) await pinDatabase(database);
        else [serviceRounds?.push(serviceFigures), peerRounds?.push(peerFigures)];
      }
      const [counted] = await sql<{ ours: number; theirs: number }>(
        'select (select count(*)::int from trade_claim) as ours, (select count(*)::int from recorded) as theirs',
      );
      if (counted?.ours !== rounds * each || counted.theirs !== rounds * each) {
        throw new Error(`recorded ${counted?.ours} and ${counted?.theirs} of ${rounds * each}`);
      }
      const of = (list: Figures[] | undefined): Figures => ({
        perSecond: median((list ?? []).map(({ perSecond }) => perSecond)),
        cpu: median((list ?? []).map(({ cpu }) => cpu)),
        p50: median((list ?? []).map(({ p50 }) => p50)),
        p99: median((list ?? []).map(({ p99 }) => p99)),
      });
      const [ours, plain] = [of(serviceRounds), of(peerRounds)];
      return [
        {
          work: '`POST /api/tickets/buy`, verified and recorded',
          against: 'node:http, one receipt and one INSERT',
          product: inWords(ours),
          peer: inWords(plain),
          value: ours.perSecond / plain.perSecond,
          target: { at: 'least', value: 0.5, unit: 'times' },
          cpuRatio: plain.cpu / ours.cpu,
          note: `the trades are indexed, so the service reads no receipt; ${each} purchases per round, the same for both`,
        },
      ];
    });
  },
};
