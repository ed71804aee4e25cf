import { expect } from 'chai';
import { Contract, ContractFactory, type LogDescription } from 'ethers';
import fc from 'fast-check';
import { ticketMarketAbi } from '../../../src/chain/abi.js';
import { ticketMarketBytecode } from '../../../src/chain/bytecode.js';
import { overload } from '../../../src/chain/contract-interface.js';
import { devAccount } from '../../../src/chain/embedded-chain.js';
import { RpcProvider } from '../../../src/chain/rpc.js';
import * as rules from '../../../src/values/curve.js';
import { CHAIN_ID, testChain } from '../../support/chain/chain.js';
import { testTimes } from '../../support/times.js';

describe('the bonding curve in TypeScript and Solidity', () => {
  let provider: RpcProvider;
  before(async () => {
    provider = new RpcProvider([(await testChain()).rpcUrl], CHAIN_ID, testTimes);
  });
  after(() => provider.destroy());

  for (const split of [
    { protocolBps: 500n, agentBps: 500n },
    { protocolBps: 750n, agentBps: 250n },
    { protocolBps: 333n, agentBps: 1n },
  ]) {
    it(`gives the same amounts for random trades with fees of ${split.protocolBps} + ${split.agentBps} basis points`, async () => {
      const market = await deploy(provider, split);
      const agent = devAccount(1).connect(provider);
      const traders = [1, 2, 3].map((i) => devAccount(i).connect(provider));
      await (await market.connect(agent).getFunction('registerAgent').send('Random', 'random', agent)).wait();
      // Tickets of each trader. The first trader is the agent itself, which gets its first ticket at the registration.
      const held = traders.map((_, i) => (i === 0 ? 1n : 0n));
      let supply = 1n;
      let pendingAgentFees = 0n;
      let pendingProtocolFees = 0n;
      const step = fc.record({ trader: fc.nat(2), amount: fc.bigInt({ min: 1n, max: 20n }), sells: fc.boolean() });
      for (const { trader, amount, sells } of fc.sample(step, 40)) {
        const signer = traders[trader]!;
        // The contract would refuse the sale of tickets that the trader does not have, and of the last ticket. A purchase replaces
        // it.
        const possible = held[trader]! >= amount && supply > amount;
        const type = sells && possible ? 'Sold' : 'Bought';
        const quote = type === 'Sold' ? rules.sellQuote(supply, amount, split) : rules.buyQuote(supply, amount, split);
        const args = [agent.address, amount, quote.total];
        const before = await provider.getBalance(signer);
        const trade = overload(market.interface, type === 'Sold' ? 'sellTickets' : 'buyTickets', args);
        const value = type === 'Sold' ? 0n : quote.total;
        const sent = await market
          .connect(signer)
          .getFunction(trade)
          .send(...args, { value });
        const receipt = (await sent.wait())!;
        const paid = before - (await provider.getBalance(signer)) - receipt.fee;
        expect(paid).to.equal(type === 'Sold' ? -quote.total : quote.total);

        const change = type === 'Sold' ? -amount : amount;
        supply += change;
        held[trader]! += change;
        pendingAgentFees += quote.agentFee;
        pendingProtocolFees += quote.protocolFee;
        const log: LogDescription = market.interface.parseLog(receipt.logs[0]!)!;
        expect(log.name).to.equal(`Tickets${type}`);
        const { price, protocolFee, agentFee } = quote;
        const block = (await receipt.getBlock()).timestamp;
        const told = [signer.address, agent.address, amount, price, protocolFee, agentFee, supply, BigInt(block)];
        expect(log.args.toArray()).to.deep.equal(told);
      }
      const read = (name: string, ...args: unknown[]) => market.getFunction(name)(...args);
      expect(await read('totalSupply', agent)).to.equal(supply);
      expect(await read('pendingAgentFees', agent)).to.equal(pendingAgentFees);
      expect(await read('pendingProtocolFees')).to.equal(pendingProtocolFees);
      // The balance of the contract is the price of all tickets, plus the fees that nobody has withdrawn.
      expect(await provider.getBalance(market)).to.equal(rules.getPrice(0n, supply) + pendingAgentFees + pendingProtocolFees);
      for (const [i, trader] of traders.entries()) {
        expect(await read('ticketBalance', agent, trader)).to.equal(held[i]);
      }
    });
  }
});

async function deploy(provider: RpcProvider, split: rules.FeeSplit): Promise<Contract> {
  const owner = devAccount(0).connect(provider);
  const factory = new ContractFactory(ticketMarketAbi, ticketMarketBytecode, owner);
  const market = await factory.deploy(owner.address, split.protocolBps, split.agentBps);
  await market.waitForDeployment();
  return new Contract(await market.getAddress(), ticketMarketAbi, provider);
}
