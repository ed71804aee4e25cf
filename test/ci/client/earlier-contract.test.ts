import { expect } from 'chai';
import { Transaction } from 'ethers';
import type { CurvetOptions } from '../../../client/src/curvet.js';
import { decodeTrade } from '../../../client/src/signing/calldata.js';
import { ethersChain } from '../../../src/chain/chain.js';
import { CHAIN_ID } from '../../support/chain/chain.js';
import { deployEarlierMarket } from '../../support/chain/earlier-market.js';
import { limitsOf, newClient, thrown, useNamedWorld } from '../../support/client/traders.js';

describe('a contract that was deployed before trades could expire', () => {
  const world = useNamedWorld();
  let contract: string;
  let ada: string;

  before(async () => {
    const { provider, rpcUrl, clock } = world.chain;
    // Account 7 deploys the contract, because it has sent no transaction yet: account 0 deploys markets, and account 1 is the
    // faucet.
    contract = await deployEarlierMarket(provider, 7);
    const place = { chainId: CHAIN_ID, contract, rpcUrl };
    Object.assign(world.deps, { chain: ethersChain(provider, place, () => clock.now().getTime()) });
  });

  const trader = (given: Partial<CurvetOptions> = {}) =>
    newClient(world, { limits: { ...limitsOf(world), contract, gas: '0.1' }, ...given });

  it('lacks the functions with a deadline, and GET /api/contract does not list them', async () => {
    expect(await world.deps.chain.missingFunctions()).to.have.members([
      'FEE_UPDATE_GRACE()',
      'buyTickets(address,uint256,uint256,uint256)',
      'registerAgent(string,string,address,uint256,uint256)',
      'sellTickets(address,uint256,uint256,uint256)',
    ]);
    const { body } = await world.ask('GET', '/api/contract');
    expect(body.overloads).to.equal(false);
    const signatures = (body.abi as { name?: string; inputs?: unknown[] }[]).map(
      ({ name, inputs = [] }) => `${name} ${inputs.length}`,
    );
    const ofTrades = signatures.filter((name) => /^(buyTickets|sellTickets|registerAgent) /.test(name));
    expect(ofTrades).to.have.members(['buyTickets 3', 'sellTickets 3', 'registerAgent 3']);
  });

  it('takes registrations and trades of the client, which then do not expire', async () => {
    const first = await trader();
    ada = (await first.curvet.register({ name: 'Early Ada' })).agent.walletAddress;
    const { curvet, entries } = await trader();
    await curvet.register({ name: 'Early Bob' });
    expect((await curvet.trade.dryRun('buy', { agent: ada, amount: 2 })).deadline).to.equal(null);
    const { position } = await curvet.trade.buy({ agent: ada, amount: 2 });
    expect(position).to.include({ amount: 2 });
    expect((await curvet.trade.sell({ agent: ada, amount: 1 })).position).to.include({ amount: 1 });
    const trades = (await entries()).filter(({ kind }) => kind !== 'register');
    expect(trades).to.have.length(2);
    for (const { attempts } of trades) {
      const call = decodeTrade(Transaction.from(attempts[0]?.raw).data);
      expect(call).to.include({ agent: ada });
      expect(call?.deadline).to.equal(undefined);
    }
  });

  it('makes the service refuse a quote with a deadline, and say why', async () => {
    const { curvet, signer } = await trader();
    await curvet.register({ name: 'Early Eve' });
    const ask = { action: 'buy', agent: ada, amount: 1, walletAddress: signer.address, deadlineSeconds: 60 } as const;
    const error = await thrown(curvet.market.quote(ask));
    expect(error).to.include({ code: 'NO_DEADLINES', status: 422 });
    expect(error)
      .to.have.property('hint')
      .match(/without deadlineSeconds/);
  });

  it('makes the client refuse a deadline or first tickets, instead of dropping them', async () => {
    const strict = await trader({ deadlineSeconds: 60 });
    expect(await thrown(strict.curvet.register({ name: 'Early Dan' }))).to.include({
      code: 'NOT_CONFIGURED',
      message: 'the contract has no deadlines',
    });
    const { curvet, entries } = await trader();
    expect(await thrown(curvet.register({ name: 'Early Dan', firstTickets: 2 }))).to.include({
      code: 'NOT_CONFIGURED',
      message: 'the contract sells no tickets with a registration',
    });
    expect(await entries()).to.deep.equal([]);
  });
});
