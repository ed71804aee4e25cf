import { expect } from 'chai';
import { csvOf } from '../../../../client/src/cli/lists/csv.js';
import { syncFromHint } from '../../../../src/index/ingest.js';
import { curvet } from '../../../support/client/command-line.js';
import { newAgent, type TestAgent } from '../../../support/market/agents.js';
import { addListedAgent, addTrade } from '../../../support/market/rows.js';
import { useWorld } from '../../../support/world.js';

describe('the lists of the command line', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  let scout: TestAgent;
  let quant: TestAgent;

  const call = async (...args: string[]) => {
    const env = { CURVET_HOME: '/nonexistent', CURVET_URL: world.url, CURVET_API_KEY: scout.key };
    const { code, out, error } = await curvet(args, env);
    expect(code, error).to.equal(0);
    return out;
  };

  before(async () => {
    scout = await newAgent(world, { name: 'Scout' });
    quant = await newAgent(world, { name: 'Quant', description: 'Counts\ntickets' });
    await scout.trader.buy(quant.wallet, 2);
    await syncFromHint(world.deps);
    for (let i = 0; i < 3; i++) await addListedAgent(world, { name: `Listed ${i}` });
  });

  it('show the agents that match the options or a search', async () => {
    expect(await call('list', '--sort', 'supply', '--limit', '1')).to.equal(
      'quant  Quant  0.00018 ETH  supply 3  holders 2  volume 0.0001 ETH\n',
    );
    expect(JSON.parse(await call('list', '--json')).agents).to.have.length(5);
    expect(JSON.parse(await call('list', '--verified', '--json')).agents).to.deep.equal([]);
    expect(await call('search', 'quant')).to.match(/^quant {2}Quant {2}/);
    expect((await call('search', 'listed', '--limit', '2')).trim().split('\n')).to.have.length(2);
  });

  it('show an agent, and what it holds', async () => {
    const shown = await call('show', 'quant');
    expect(shown).to.match(/^Quant \(quant, pending_claim\)\nwallet {5}0x[0-9a-f]{40}\ntickets {4}3 at 0.00018 ETH, 2 holders\n/);
    expect(shown).to.include('Counts tickets').and.include('2  Scout');
    expect(await call('holdings')).to.match(/^quant {2}2 at 0\.00018 ETH {2}/);
    expect(await call('holdings', 'scout')).to.equal(await call('holdings'));
  });

  it('show 20 trades as text, and all of them as CSV', async () => {
    expect(await call('trades')).to.match(/^\S+Z {2}Scout bought 2 of Quant for 0\.00011 ETH\n$/);
    expect(await call('trades', 'quant', '--received')).to.equal(await call('trades'));
    // Together with the purchase: 61 trades. The high block numbers make these the newest.
    for (let i = 0; i < 60; i++) await addTrade(world, { trader: scout.wallet, agent: quant.wallet, blockNumber: 9_000_000 + i });
    expect((await call('trades')).trim().split('\n')).to.have.length(20);
    const rows = (await call('trades', '--csv')).split('\r\n');
    expect(rows).to.have.length(1 + 61);
    expect(rows[0]).to.match(/^id,createdAt,type,agentAddress,agentName,amount,price,/);
    expect(rows[1]).to.match(/,BUY,0x[0-9a-f]{40},Quant,1,20000000000000,1000000000000,1000000000000,22000000000000,0\.000022,,,,/);
    expect((await call('trades', '--csv', '--limit', '3')).split('\r\n')).to.have.length(4);
    expect((await curvet(['trades', '--csv', '--json'], { CURVET_URL: world.url })).code).to.equal(2);
  });

  it('show only the trades of a time and of some tickets', async () => {
    for (const [options, rows] of [
      [['--min', '2'], 1],
      [['--min', '3'], 0],
      [['--since', '2000-01-01T00:00:00Z'], 61],
      [['--until', '2000-01-01T00:00:00Z'], 0],
    ] as const) {
      expect(JSON.parse(await call('trades', '--limit', '100', '--json', ...options)).trades, String(options)).to.have.length(rows);
    }
  });

  it('show the profit by period as text and CSV, and the agents that gained most', async () => {
    const { start } = JSON.parse(await call('pnl', '--by', 'day', '--json')).periods[0];
    expect(await call('pnl', '--by', 'day')).to.match(
      new RegExp(
        `^${start.slice(0, 10)}  total \\S+ ETH  realized 0 ETH  unrealized \\S+ ETH  fees 0 ETH  largest fall \\S+ ETH  trades \\d+\n$`,
      ),
    );
    const [head, row, ...others] = (await call('pnl', 'scout', '--by', 'week', '--csv')).trim().split('\r\n');
    expect(head).to.match(/^start,end,season,totalWei,realizedWei,unrealizedWei,feesEarnedWei,trades,volumeWei,/);
    expect(row).to.match(/^2026-\S+Z,2026-\S+Z,,-\d+,0,-\d+,0,\d+,\d+,\d+,\d+,-\d+,\d+,\d+$/);
    expect(others).to.deep.equal([]);
    expect(await call('pnl', '--top', '--by', 'all')).to.match(
      /^1 {2}Quant {2}0\.\d+ ETH {2}trades 0\n2 {2}Scout {2}-0\.\d+ ETH {2}trades 1\n$/,
    );
    for (const args of [['--by', 'year'], ['--csv'], ['--by', 'day', '--csv', '--json'], ['--top', 'scout']]) {
      expect((await curvet(['pnl', ...args], { CURVET_URL: world.url })).code, String(args)).to.equal(2);
    }
  });

  it('quote the cells of CSV, and neutralise formulas', () => {
    const cells = [
      'plain',
      'a,b',
      'say "x"',
      'two\nlines',
      '=1+1',
      '+1',
      '-1',
      '-x',
      '@sum',
      ' =x',
      '\u0000=x',
      '\t@x',
      '',
      null,
      -0.5,
    ];
    const rows = cells.map((text) => ({ text }));
    expect(csvOf(rows, ['text']).split('\r\n')).to.deep.equal([
      'text',
      'plain',
      '"a,b"',
      '"say ""x"""',
      '"two\nlines"',
      "'=1+1",
      "'+1",
      '-1',
      "'-x",
      "'@sum",
      "' =x",
      "'=x",
      "'@x",
      '',
      '',
      '-0.5',
    ]);
  });
});
