import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { keccak256 } from 'ethers';
import { curvet } from '../../../support/client/command-line.js';
import { patientClock } from '../../../support/client/scripted.js';
import { yieldFeedback } from '../../../support/erc-8004.js';
import { addAgent } from '../../../support/market/rows.js';
import { withParts } from '../../../support/parts.js';
import { marketOf, randomHistory } from '../../../support/profits/market.js';
import { mostSpentIn, stateAt } from '../../../support/profits/oracle.js';
import type { Json } from '../../../support/service/graphql.js';
import { runSql } from '../../../support/store.js';
import { type CallHistory, scripted, walletOf } from '../../../support/theses/call-history.js';
import { useWorld, type World } from '../../../support/world.js';

const REGISTRY = '0x8004a169fb4a3325136eb29fa0ceb6d2e539a432';
const CLIENT = `0x${'c'.repeat(40)}`;

/** A registry whose getAgentWallet(22) is the wallet. Every other call reverts. */
const registryOf = (wallet: string): string =>
  `0x60003560e01c63003395091460043560161416601b5760006000fd5b73${wallet.slice(2)}60005260206000f3`;

describe('curvet yield', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  let directory: string;
  /** The time of the service and of the command. */
  let now: string;

  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'curvet-yield-'));
  });
  beforeEach(() => {
    now = '2026-09-02T12:00:00Z';
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  /** Calls `use` with a service whose index has the history, and in which these wallets are agents with an identity. */
  async function withAgents(history: CallHistory, wallets: readonly string[], use: (other: World) => Promise<void>): Promise<void> {
    const { deps: indexed } = await marketOf(world, history);
    const deps = { ...indexed, clock: { now: () => new Date(now) } };
    for (const [i, wallet] of wallets.entries()) {
      const identity = `eip155:${deps.chain.chainId}:${REGISTRY}:22`;
      await addAgent({ ...world, deps }, { wallet, name: `Agent ${i}`, identity });
    }
    await withParts(world, { chain: deps.chain, clock: deps.clock }, use);
  }

  async function run(other: World, args: readonly string[], time = now) {
    const clock = { ...patientClock, now: () => Date.parse(time) };
    const env = { CURVET_HOME: '/nonexistent', CURVET_URL: other.url };
    return curvet(['yield', ...args, '--out', directory], env, clock);
  }
  async function written(other: World, args: readonly string[]): Promise<Json[]> {
    const { code, out, error } = await run(other, [...args, '--json']);
    expect(code, error).to.equal(0);
    return JSON.parse(out).files;
  }
  const isWallet = (wallet: string) => world.chain.provider.send('anvil_setCode', [REGISTRY, registryOf(wallet)]);

  it('writes what the facts say for the last whole day, week, month and year, with the hash of the bytes', async () => {
    const history = randomHistory();
    const { facts } = history;
    const wallets = [...new Set(facts.flatMap((fact) => ('trader' in fact ? [fact.trader] : [])))].slice(0, 6);
    const found = new Set<string>();
    await withAgents(history, wallets, async (other) => {
      const times = ['2026-09-16T00:59:59Z', '2026-09-16T01:00:00Z', '2026-10-01T00:59:59Z', '2026-10-01T01:00:00Z'];
      for (const [i, wallet] of wallets.entries()) {
        await isWallet(wallet);
        for (now of times) {
          const files = await written(other, [wallet, '--client', CLIENT.toUpperCase().replace('0X', '0x')]);
          for (const { file, feedbackHash, feedback } of files) {
            const bytes = readFileSync(file);
            expect(feedbackHash).to.equal(keccak256(bytes));
            expect(yieldFeedback.parse(JSON.parse(String(bytes)))).to.deep.equal(feedback);
            const { tag2, value, curvet: own } = feedback;
            const { start, end } = own;
            expect(file).to.equal(join(directory, `agent_${i}-${tag2}-${end.slice(0, 10)}.json`));
            const [from, to] = [start, end].map((time) => stateAt(facts, wallet, new Date(time)));
            if (!from || !to) throw new Error('no states');
            const profit = to.realized + to.unrealized - from.realized - from.unrealized;
            const capital = from.value + mostSpentIn(facts, wallet, { start: new Date(start), end: new Date(end) });
            expect(own).to.deep.equal({
              walletAddress: wallet,
              start,
              end,
              profitWei: String(profit),
              capitalWei: String(capital),
              trades: to.trades - from.trades,
            });
            expect(value).to.equal(Number((profit * 10_000n) / capital));
            expect(feedback).to.deep.include({
              agentRegistry: `eip155:${other.deps.chain.chainId}:${REGISTRY}`,
              agentId: 22,
              clientAddress: `eip155:${other.deps.chain.chainId}:${CLIENT}`,
              createdAt: end,
              endpoint: `${other.deps.publicUrl}/api/agents/${wallet}`,
            });
            found.add(`${now} ${tag2} ${start} ${end}`);
          }
        }
      }
    });
    // A span counts an hour after its end.
    expect([...found].map((span) => span.replaceAll(/T00:00:00\.000Z/g, '')).sort()).to.deep.equal([
      '2026-09-16T00:59:59Z day 2026-09-14 2026-09-15',
      '2026-09-16T00:59:59Z month 2026-08-01 2026-09-01',
      '2026-09-16T00:59:59Z week 2026-09-07 2026-09-14',
      '2026-09-16T00:59:59Z year 2026-08-01 2026-09-01',
      '2026-09-16T01:00:00Z day 2026-09-15 2026-09-16',
      '2026-09-16T01:00:00Z month 2026-08-01 2026-09-01',
      '2026-09-16T01:00:00Z week 2026-09-07 2026-09-14',
      '2026-09-16T01:00:00Z year 2026-08-01 2026-09-01',
      '2026-10-01T00:59:59Z day 2026-09-29 2026-09-30',
      '2026-10-01T00:59:59Z month 2026-08-01 2026-09-01',
      '2026-10-01T00:59:59Z week 2026-09-21 2026-09-28',
      '2026-10-01T00:59:59Z year 2026-08-01 2026-09-01',
      '2026-10-01T01:00:00Z day 2026-09-30 2026-10-01',
      '2026-10-01T01:00:00Z month 2026-09-01 2026-10-01',
      '2026-10-01T01:00:00Z week 2026-09-21 2026-09-28',
      '2026-10-01T01:00:00Z year 2026-08-01 2026-10-01',
    ]);
  });

  /** Over 14 months, others trade in Bob's tickets, too. */
  const long = (): CallHistory => {
    const at = (day: number, what: string) => `${day * 1440} ${what}`;
    const lines = ['0 Bob opens', '1 Ada opens', at(4, 'Ada buys 10 Bob'), at(5, 'Eve buys 20 Bob'), at(100, 'Ada buys 10 Bob')];
    lines.push(at(101, 'Ada sells 5 Bob'), at(160, 'Ada buys 20 Bob'), at(220, 'Eve sells 15 Bob'), at(300, 'Ada sells 12 Bob'));
    lines.push(at(301, 'Ada buys 5 Bob'), at(420, 'Eve buys 3 Bob'), at(425, 'Ada buys 1 Bob'), at(426, 'Dan buys 1 Ada'));
    return scripted(lines, 427 * 1440, new Date('2025-07-01T00:00:00Z'));
  };
  const ada = walletOf('Ada');

  it('adds up the months of a year, which begins with the value of what was bought before', async () => {
    const history = long();
    await withAgents(history, [ada], async (other) => {
      await isWallet(ada);
      const [{ feedback } = {}] = await written(other, [ada, '--client', CLIENT, '--span', 'year']);
      const [start, end] = ['2025-09-01T00:00:00.000Z', '2026-09-01T00:00:00.000Z'].map((time) => new Date(time)) as [Date, Date];
      const [from, to] = [stateAt(history.facts, ada, start), stateAt(history.facts, ada, end)];
      expect(from.value > 0n).to.equal(true);
      expect(feedback.curvet).to.deep.include({
        start: start.toISOString(),
        end: end.toISOString(),
        profitWei: String(to.realized + to.unrealized - from.realized - from.unrealized),
        capitalWei: String(from.value + mostSpentIn(history.facts, ada, { start, end })),
      });
    });
  });

  it('prints the call that submits each file, and how many wallets are possibly linked', async () => {
    await withAgents(long(), [ada], async (other) => {
      await isWallet(ada);
      const args = [ada, '--client', CLIENT, '--span', 'month'];
      const { code, out } = await run(other, [...args, '--rpc', other.deps.chain.rpcUrl]);
      expect(code).to.equal(0);
      const [{ file, feedbackHash, feedback } = {}] = await written(other, args);
      const { value, endpoint, curvet: own } = feedback;
      const [head, path, call, ...rest] = out.trimEnd().split('\n');
      expect(head).to.match(/^month {2}-?\d+\.\d\d % {2}-?[\d.]+ ETH on [\d.]+ ETH, 2026-08-01 to 2026-09-01$/);
      expect(path?.trim()).to.equal(file);
      expect(call?.trim()).to.equal(
        `giveFeedback(22, ${value}, 2, "tradingYield", "month", "${endpoint}", "URL of the file", ${feedbackHash})`,
      );
      expect(own.trades).to.equal(1);
      expect(rest).to.deep.equal([]);
      await runSql(
        other.deps,
        'insert into linked_wallet (wallet, cluster, leads, links) values ($1, 1, false, 1), ($2, 1, false, 1)',
        [ada, walletOf('Eve')],
      );
      expect((await run(other, args)).out).to.include(
        `Look before you submit: 1 possibly linked wallets, ${other.deps.publicUrl}/links/${ada}`,
      );
    });
  });

  it('writes nothing without a wish to, without 0.001 ETH at work, or about somebody else', async () => {
    await withAgents(long(), [ada, walletOf('Dan')], async (other) => {
      const files = () => readdirSync(directory).filter((name) => name.includes('2026-09'));
      for (const name of files()) rmSync(join(directory, name));
      await isWallet(ada);
      const given = [ada, '--client', CLIENT];
      const dry = await run(other, [...given, '--dry-run']);
      expect(dry.out).to.match(/^day .*\nDry run: nothing was written\.\n$/s);
      for (const [args, code, said] of [
        [[ada], 2, '--client is the address'],
        [[ada, '--client', 'me'], 2, '--client is the address'],
        [[ada, '--client', ada], 2, 'about itself'],
        [[...given, '--span', 'hour'], 2, '--span is one of day, week, month, year'],
        [['nobody', '--client', CLIENT], 4, 'Agent not found'],
      ] as const) {
        const refused = await run(other, args);
        expect([refused.code, refused.error.includes(said)], refused.error).to.deep.equal([code, true]);
      }
      const none = await run(other, [walletOf('Dan'), '--client', CLIENT]);
      expect([none.code, none.error]).to.deep.include(5);
      await isWallet(walletOf('Dan'));
      expect((await run(other, [walletOf('Dan'), '--client', CLIENT])).out).to.equal(
        'In no whole span, 0.001 ETH were at work, so there is no yield.\n',
      );
      const foreign = await run(other, given);
      expect([
        foreign.code,
        foreign.error.includes(`wallet of identity 22 in the registry: ${walletOf('Dan')}, not ${ada}`),
      ]).to.deep.equal([5, true]);
      await isWallet(ada);
      const identify = (identity: string | null) =>
        runSql(other.deps, 'update agent set identity = $2 where wallet = $1', [ada, identity]);
      for (const [identity, code, said] of [
        [null, 3, 'names no identity'],
        [`eip155:1:${REGISTRY}:22`, 3, `the RPC is on chain ${other.deps.chain.chainId}`],
        [`eip155:${other.deps.chain.chainId}:${REGISTRY}:23`, 5, 'registry: none'],
        [`eip155:${other.deps.chain.chainId}:${CLIENT}:22`, 5, `identity in the registry ${CLIENT}`],
      ] as const) {
        await identify(identity);
        other.deps.writes.count++;
        const refused = await run(other, given);
        expect([refused.code, refused.error.includes(said)], refused.error).to.deep.equal([code, true]);
      }
      const trusting = await run(other, [...given, '--registry', CLIENT.toUpperCase().replace('0X', '0x')]);
      expect([trusting.code, trusting.error.includes(`no contract at ${CLIENT}`)], trusting.error).to.deep.equal([7, true]);
      expect((await run(other, [...given, '--registry', REGISTRY])).code).to.equal(5);
      expect(files()).to.deep.equal([]);
    });
  });

  it('does not take a running span for a whole one, even if its own clock is ahead', async () => {
    await withAgents(long(), [ada], async (other) => {
      await isWallet(ada);
      const { out } = await run(other, [ada, '--client', CLIENT, '--span', 'month'], '2026-10-02T12:00:00Z');
      expect(out).to.include('2026-08-01 to 2026-09-01');
    });
  });

  it('waits for an index that is behind the chain', async () => {
    const history = long();
    const { deps } = await marketOf(world, history);
    const identity = `eip155:${deps.chain.chainId}:${REGISTRY}:22`;
    await addAgent({ ...world, deps }, { wallet: ada, name: 'Ada', identity });
    await isWallet(ada);
    const head = async () => ({ number: (await deps.chain.blockNumber()) + 50, time: deps.clock.now() });
    const chain = { ...deps.chain, head };
    await withParts(world, { chain, clock: deps.clock }, async (other) => {
      const { code, error } = await run(other, [ada, '--client', CLIENT]);
      expect([code, error]).to.deep.equal([
        7,
        'curvet: the index is 50 blocks behind the chain, so figures may be incomplete\nRun the command again later.\n',
      ]);
    });
  });
});
