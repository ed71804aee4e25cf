import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Contract, ContractFactory } from 'ethers';
import { CONTRACT_IDENTIFIER, compilerVersion, STANDARD_INPUT } from '../../scripts/compile.js';
import { DETERMINISTIC_DEPLOYER, encodeArguments } from '../../scripts/deployment/build.js';
import { stateReport } from '../../scripts/deployment/state.js';
import { ticketMarketAbi } from '../../src/chain/abi.js';
import { ticketMarketBytecode } from '../../src/chain/bytecode.js';
import { callData, ticketMarket } from '../../src/chain/contract-interface.js';
import { devAccount } from '../../src/chain/embedded-chain.js';
import { type TestChain, testChain } from '../support/chain/chain.js';
import { newTrader, type Trader } from '../support/market/traders.js';

const guide = readFileSync('docs/contract-owner.md', 'utf8');
/** Data of the calls in the runbook's table. */
const calls = new Map(
  [...guide.matchAll(/^\| `(\w+)\([^`]*\)` \| `(0x[0-9a-f]+)` \|$/gm)].map(([, name = '', data = '']) => [name, data]),
);
const DAY = 86_400;

describe('the guide of the owner', () => {
  let chain: TestChain;
  let address: string;
  let trader: Trader;
  const owner = devAccount(6);

  before(async () => {
    chain = await testChain();
  });
  beforeEach(async () => {
    await chain.reset();
    const factory = new ContractFactory(ticketMarketAbi, ticketMarketBytecode, owner.connect(chain.provider));
    const deployed = await (await factory.deploy(owner, 500n, 500n)).waitForDeployment();
    address = await deployed.getAddress();
    trader = await newTrader({ ...chain, contract: address });
  });

  /** Sends the data of the guide. Returns the name of the error if it reverts. */
  async function send(name: string, from = owner, data = calls.get(name)): Promise<string | null> {
    const call = { to: address, data, from: from.address };
    try {
      await chain.provider.call(call);
    } catch (error) {
      return ticketMarket.parseError((error as { data: string }).data)?.name ?? 'unknown';
    }
    await (await from.connect(chain.provider).sendTransaction(call)).wait();
    return null;
  }
  const refused = (sent: Promise<unknown>) =>
    sent.then(
      () => 'accepted',
      (error: { data?: string }) => ticketMarket.parseError(error.data ?? '0x')?.name,
    );
  const pass = async (seconds: number) => {
    chain.clock.advance(seconds * 1000);
    await chain.provider.send('evm_mine', []);
  };
  const state = async () => (await stateReport(chain.provider, address)).replace(/ +/g, ' ');
  const market = () => new Contract(address, ticketMarketAbi, chain.provider);

  it('has the data of each call', () => {
    expect([...calls.keys()]).to.deep.equal([
      'pause',
      'unpause',
      'proposeFeeUpdate',
      'applyFeeUpdate',
      'cancelFeeUpdate',
      'acceptOwnership',
    ]);
    for (const [name, data] of calls) {
      expect(data).to.equal(callData(name, name === 'proposeFeeUpdate' ? [400, 600] : []));
    }
  });

  it('names the values that the scripts print', () => {
    for (const value of [CONTRACT_IDENTIFIER, compilerVersion(), STANDARD_INPUT, DETERMINISTIC_DEPLOYER]) {
      expect(guide).to.include(value);
    }
    expect(encodeArguments({ owner: owner.address, protocolBps: 500, agentBps: 500 })).to.match(/^0x0000.*01f4$/);
  });

  it('pauses registrations and buys, not sells', async () => {
    await trader.registerWithTickets('Agent', 3);
    expect(await send('pause')).to.equal(null);
    expect(await state()).to.include('Paused yes');
    expect(await refused(trader.buy(trader.wallet, 1))).to.equal('EnforcedPause');
    const other = await newTrader({ ...chain, contract: address });
    expect(await refused(other.register('Other'))).to.equal('EnforcedPause');
    expect((await trader.sell(trader.wallet, 1)).status).to.equal(1);
    expect(await send('unpause')).to.equal(null);
    expect((await trader.buy(trader.wallet, 1)).status).to.equal(1);
  });

  it('changes the fees between 48 hours and 14 days after the proposal', async () => {
    expect(await send('proposeFeeUpdate')).to.equal(null);
    const { timestamp = 0 } = (await chain.provider.getBlock('latest')) ?? {};
    const time = (seconds: number) => new Date((timestamp + seconds) * 1000).toISOString();
    expect(await state()).to.include(
      `Proposed fees 400 + 600 basis points, from ${time(2 * DAY)} to ${time(14 * DAY)}`,
    );
    expect(await send('applyFeeUpdate')).to.equal('FeeUpdateTooEarly');
    await pass(2 * DAY);
    expect(await send('applyFeeUpdate')).to.equal(null);
    expect(await state())
      .to.include('Fees 400 + 600 basis points')
      .and.include('Proposed fees none');

    expect(await send('proposeFeeUpdate')).to.equal(null);
    expect(await send('cancelFeeUpdate')).to.equal(null);
    expect(await send('proposeFeeUpdate')).to.equal(null);
    await pass(14 * DAY + 1);
    expect(await send('applyFeeUpdate')).to.equal('FeeUpdateExpired');
    expect(await send('proposeFeeUpdate')).to.equal(null);
  });

  it('transfers the ownership in two steps, and drops a proposal', async () => {
    const next = devAccount(5);
    const offer = (to: string) => send('transferOwnership', owner, callData('transferOwnership', [to]));
    expect(await offer(next.address)).to.equal(null);
    expect(await state())
      .to.include(`Owner ${owner.address}`)
      .and.include(`Ownership offered to ${next.address}`);
    expect(await offer(`0x${'0'.repeat(40)}`)).to.equal(null);
    expect(await state()).to.include('Ownership offered to nobody');
    expect(await send('acceptOwnership', next)).to.equal('OwnableUnauthorizedAccount');
    await offer(next.address);
    await send('proposeFeeUpdate');
    expect(await send('acceptOwnership', next)).to.equal(null);
    expect(await state())
      .to.include(`Owner ${next.address}`)
      .and.include('Proposed fees none');
    expect(await send('pause')).to.equal('OwnableUnauthorizedAccount');
  });

  it('says whether the owner is a contract', async () => {
    expect(await state()).to.include(`Owner ${owner.address}, an account with one key`);
    for (const [code, kind] of [
      ['0x00', 'a contract'],
      [`0xef0100${'ab'.repeat(20)}`, 'an account with one key'],
    ] as const) {
      await chain.provider.send('anvil_setCode', [owner.address, code]);
      expect(await state()).to.include(`Owner ${owner.address}, ${kind}\n`);
    }
  });

  it('withdraws the protocol fees to any address, and nothing else', async () => {
    await trader.registerWithTickets('Agent', 20);
    const fees: bigint = await market().getFunction('pendingProtocolFees')();
    const [to, held] = [`0x${'cd'.repeat(20)}`, await chain.provider.getBalance(address)];
    expect(await send('withdrawProtocolFees', owner, callData('withdrawProtocolFees', [to]))).to.equal(null);
    expect(await chain.provider.getBalance(to)).to.equal(fees);
    expect(await chain.provider.getBalance(address)).to.equal(held - fees);
    expect(await send('withdrawProtocolFees', owner, callData('withdrawProtocolFees', [to]))).to.equal(
      'NoProtocolFees',
    );
  });
});
