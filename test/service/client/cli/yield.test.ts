import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { keccak256 } from 'ethers';
import { CLIENT, longHistory, REGISTRY, useYields } from '../../../support/client/yields.js';
import { yieldFeedback } from '../../../support/erc-8004.js';
import { randomHistory } from '../../../support/profits/market.js';
import { mostSpentIn, stateAt } from '../../../support/profits/oracle.js';
import { runSql } from '../../../support/store.js';
import { walletOf } from '../../../support/theses/call-history.js';

const ada = walletOf('Ada');

describe('curvet yield', () => {
  const yields = useYields();

  it('writes what the facts say for the last whole day, week, month and year, with the hash of the bytes', async () => {
    const history = randomHistory();
    const { facts } = history;
    const wallets = [...new Set(facts.flatMap((fact) => ('trader' in fact ? [fact.trader] : [])))].slice(0, 6);
    const found = new Set<string>();
    const times = ['2026-09-16T00:59:59Z', '2026-09-16T01:00:00Z', '2026-10-01T00:59:59Z', '2026-10-01T01:00:00Z'];
    await yields.withAgents(history, wallets, async (other) => {
      for (const wallet of wallets) {
        await yields.prove(wallet);
        for (yields.now of times) {
          const files = await yields.written(other, [wallet, '--client', CLIENT.toUpperCase().replace('0X', '0x')]);
          for (const { file, feedbackHash, feedback } of files) {
            const bytes = readFileSync(file);
            expect(feedbackHash).to.equal(keccak256(bytes));
            expect(yieldFeedback.parse(JSON.parse(String(bytes)))).to.deep.equal(feedback);
            const { tag2, value, curvet: own } = feedback;
            const { start, end } = own;
            const named = `${wallet}-${tag2}-${end.slice(0, 10)}-${feedbackHash.slice(2, 10)}.json`;
            expect(file).to.equal(join(yields.directory, named));
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
            found.add(`${yields.now} ${tag2} ${start.slice(5, 10)} ${end.slice(5, 10)}`);
          }
        }
      }
    });
    // A span counts an hour after its end.
    const spansAt = (time: string) =>
      [...found].flatMap((span) => (span.startsWith(time) ? [span.slice(time.length + 1)] : [])).sort();
    expect(Object.fromEntries(times.map((time) => [time, spansAt(time).join(', ')]))).to.deep.equal({
      '2026-09-16T00:59:59Z': 'day 09-14 09-15, month 08-01 09-01, week 09-07 09-14, year 08-01 09-01',
      '2026-09-16T01:00:00Z': 'day 09-15 09-16, month 08-01 09-01, week 09-07 09-14, year 08-01 09-01',
      '2026-10-01T00:59:59Z': 'day 09-29 09-30, month 08-01 09-01, week 09-21 09-28, year 08-01 09-01',
      '2026-10-01T01:00:00Z': 'day 09-30 10-01, month 09-01 10-01, week 09-21 09-28, year 08-01 10-01',
    });
  });

  it('adds up the months of a year, which begins with the value of what was bought before', async () => {
    const history = longHistory();
    await yields.withAgents(history, [ada], async (other) => {
      await yields.prove(ada);
      const [{ feedback } = {}] = await yields.written(other, [ada, '--client', CLIENT, '--span', 'year']);
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
    await yields.withAgents(longHistory(), [ada], async (other) => {
      await yields.prove(ada);
      const args = [ada, '--client', CLIENT, '--span', 'month'];
      const { code, out } = await yields.run(other, [...args, '--rpc', other.deps.chain.rpcUrl]);
      expect(code).to.equal(0);
      const [{ file, feedbackHash, feedback } = {}] = await yields.written(other, args);
      const { value, endpoint, curvet: own } = feedback;
      const [about, head, path, call, ...rest] = out.trimEnd().split('\n');
      expect(about).to.equal(`Agent 0 (agent_0)  ${ada}`);
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
      expect((await yields.run(other, args)).out).to.include(
        `Look before you submit: 1 possibly linked wallets, ${other.deps.publicUrl}/links/${ada}`,
      );
    });
  });

  it('does not take a running span for a whole one, even if its own clock is ahead', async () => {
    await yields.withAgents(longHistory(), [ada], async (other) => {
      await yields.prove(ada);
      const { out } = await yields.run(other, [ada, '--client', CLIENT, '--span', 'month'], '2026-10-02T12:00:00Z');
      expect(out).to.include('2026-08-01 to 2026-09-01');
    });
  });

  it('writes the same bytes again at another time, and nothing over a file of another client', async () => {
    await yields.withAgents(longHistory(), [ada], async (other) => {
      await yields.prove(ada);
      const args = [ada, '--span', 'month', '--client'];
      const [[first], [again]] = [
        await yields.written(other, [...args, CLIENT]),
        await yields.written(other, ['Agent 0', ...args.slice(1), CLIENT]),
      ];
      yields.now = '2026-09-29T01:00:00Z';
      const [later] = await yields.written(other, [...args, CLIENT]);
      expect(again).to.deep.equal(first);
      expect(later).to.deep.equal(first);
      const bytes = readFileSync(first?.file);
      const [others] = await yields.written(other, [...args, walletOf('Eve')]);
      expect(others?.file).not.to.equal(first?.file);
      expect(readFileSync(first?.file)).to.deep.equal(bytes);
    });
  });
});
