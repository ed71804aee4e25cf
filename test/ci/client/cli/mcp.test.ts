import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Entry } from '../../../../client/src/curvet.js';
import { homeOf } from '../../../support/client/home.js';
import { type Connected, connect } from '../../../support/client/mcp.js';
import { clockOf, limitsOf, useNamedWorld } from '../../../support/client/traders.js';
import { newAgent, type TestAgent } from '../../../support/market/agents.js';
import { newTrader } from '../../../support/market/traders.js';
import { endProcesses, eventually } from '../../../support/service/process.js';

const PASSWORD = 'a long password of a wallet';

describe('curvet mcp for an agent with fees', () => {
  const world = useNamedWorld();
  let agent: TestAgent;
  let home: string;
  const open: Connected[] = [];

  before(async () => {
    agent = await newAgent(world);
    home = await homeOf(agent.trader.signer, PASSWORD, { url: world.url, limits: limitsOf(world) });
  });
  afterEach(async () => {
    for (const connected of open.splice(0)) await connected.close();
  });
  after(endProcesses);

  async function start(more: Record<string, string> = {}): Promise<Connected> {
    const given = { CURVET_HOME: home, CURVET_PASSWORD: PASSWORD, CURVET_URL: world.url, CURVET_API_KEY: agent.key };
    const connected = await connect({ ...given, ...more }, { clock: clockOf(world) });
    open.push(connected);
    return connected;
  }
  const entries = (): Entry[] => JSON.parse(readFileSync(join(home, 'journal.json'), 'utf8')).entries;

  it('has prompts of its own, also while the service is unavailable', async () => {
    const { client } = await start({ CURVET_URL: 'http://127.0.0.1:1' });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).to.deep.equal(['daily_round', 'trade_within_limits']);
    for (const { name } of prompts) {
      const [message] = (await client.getPrompt({ name })).messages;
      expect(message?.content)
        .to.have.property('text')
        .match(/wallet_status/);
    }
    // -32602 is the code of JSON-RPC for invalid parameters.
    expect(await client.getPrompt({ name: 'steal' }).catch(({ code }: { code: number }) => code)).to.equal(-32602);
  });

  it('withdraws the fees, and says why the contract refuses a withdrawal', async () => {
    const { call, refusal } = await start();
    expect(await refusal('withdraw')).to.include({
      code: 'TRADE_REVERTED',
      hint: 'Nothing was sent. Every trade in the tickets of the agent adds to its fees.',
    });
    const trader = await newTrader(world.chain);
    await trader.buy(agent.wallet, 20);
    const planned = await call('withdraw', { dryRun: true });
    expect(planned).to.include({ dryRun: true, hash: null });
    const paid = await call('withdraw');
    expect(paid).to.include({ dryRun: false, amountEth: planned.amountEth });
    await eventually(() => entries().every(({ kind, open }) => kind !== 'withdraw' || !open), 'it stays open');
    expect(await refusal('withdraw')).to.include({ code: 'TRADE_REVERTED' });
  });
});
