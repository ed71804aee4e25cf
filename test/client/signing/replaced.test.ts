import { expect } from 'chai';
import { memoryJournal, type TradeRequest } from '../../../client/src/curvet.js';
import { newAgent, type TestAgent } from '../../support/market/agents.js';
import { ticketsOf } from '../../support/market/traders.js';
import { useWorld } from '../../support/world.js';
import { clockOf, entriesOf, losing, newClientTrader, thrown } from '../support/traders.js';

describe('a trade of the client whose nonce is used', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let ada: TestAgent;
  const held = (wallet: string) => ticketsOf(world.chain, ada.wallet, wallet);

  before(async () => {
    ada = await newAgent(world);
  });

  /** A trader with a signed transaction that was not sent, because another transaction has used its nonce. */
  async function displaced(ask: TradeRequest) {
    const [cut, journal] = [{ lost: true }, memoryJournal()];
    const bob = await newClientTrader(world, { fetch: losing(cut), journal });
    expect(await thrown(bob.curvet.trade.buy(ask))).to.include({ code: 'RPC' });
    await (await bob.signer.sendTransaction({ to: bob.wallet, value: 1n })).wait();
    cut.lost = false;
    return { ...bob, journal };
  }

  it('does not trade if another transaction of the wallet has used the nonce', async () => {
    const ask = { agent: ada.wallet, amount: 1 };
    const bob = await displaced(ask);
    expect(await thrown(bob.curvet.trade.buy(ask))).to.include({ code: 'TRADE_REPLACED' });
    expect(await held(bob.wallet)).to.equal(0);
    await bob.curvet.trade.buy(ask);
    expect(await held(bob.wallet)).to.equal(1);
  });

  it('never says that a trade with an id was done if another transaction has used its nonce', async () => {
    const ask = { agent: ada.wallet, amount: 1, id: 'displaced' };
    const bob = await displaced(ask);
    for (let again = 0; again < 2; again++) {
      const error = await thrown(bob.curvet.trade.buy(ask));
      expect(error).to.include({ code: 'TRADE_REPLACED' });
      expect(error)
        .to.have.property('hint')
        .match(/with a new id/);
    }
    expect(await held(bob.wallet)).to.equal(0);
    expect((await entriesOf(bob.journal)).map(({ state }) => state)).to.deep.equal(['replaced']);
    await bob.curvet.trade.buy({ ...ask, id: 'another' });
    expect(await held(bob.wallet)).to.equal(1);
  });

  for (const id of [undefined, 'late']) {
    it(`does not trade again if the RPC knew its receipt too late, ${id ? 'with an id' : 'without an id'}`, async () => {
      const ask = { agent: ada.wallet, amount: 1, ...(id ? { id } : {}) };
      let isBlind = false;
      const fetch: typeof globalThis.fetch = async (input, init) => {
        if (isBlind && String(init?.body).includes('eth_getTransactionReceipt')) {
          return Response.json({ jsonrpc: '2.0', id: 1, result: null });
        }
        return globalThis.fetch(input, init);
      };
      const bob = await newClientTrader(world, { fetch });
      isBlind = true;
      expect(await thrown(bob.curvet.trade.buy(ask))).to.include({ code: 'TRADE_REPLACED' });
      isBlind = false;
      expect(await bob.curvet.trade.buy(ask)).to.have.nested.property('trade.amount', 1);
      expect(await held(bob.wallet)).to.equal(1);
    });
  }

  it('waits for 15 seconds until an RPC that lags behind knows a mined transaction', async () => {
    const slept: number[] = [];
    const clock = { ...clockOf(world), sleep: async (ms: number) => void slept.push(ms) };
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const waited = slept.reduce((sum, ms) => sum + ms, 0);
      if (waited < 14_000 && String(init?.body).includes('eth_getTransactionReceipt')) {
        return Response.json({ jsonrpc: '2.0', id: 1, result: null });
      }
      return globalThis.fetch(input, init);
    };
    const bob = await newClientTrader(world, { fetch, clock });
    await bob.curvet.trade.buy({ agent: ada.wallet, amount: 1 });
    expect(await held(bob.wallet)).to.equal(1);
  });
});
