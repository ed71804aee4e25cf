import { type HDNodeWallet, Wallet } from 'ethers';
import { Curvet, type CurvetOptions, memoryJournal, type SpendingLimits } from '../../../client/src/curvet.js';
import { type Clock, systemClock } from '../../../client/src/http/clock.js';
import { CHAIN_ID } from '../../support/chain/chain.js';
import { newAgent, type TestAgent } from '../../support/market/agents.js';
import type { World } from '../../support/world.js';

export const limitsOf = (world: World): SpendingLimits => ({
  chainId: CHAIN_ID,
  contract: world.chain.contract,
  perTrade: '1',
  perDay: '10',
  gas: '0.01',
});

export type ClientTrader = TestAgent & { readonly curvet: Curvet; readonly signer: HDNodeWallet };

/** A registered agent with a client that can trade. `given` overrides the client's options. */
export async function newClientTrader(world: World, given: Partial<CurvetOptions> = {}): Promise<ClientTrader> {
  const agent = await newAgent(world);
  const signer = agent.trader.signer;
  const options = { baseUrl: world.url, apiKey: agent.key, signer, limits: limitsOf(world), journal: memoryJournal() };
  return { ...agent, signer, curvet: new Curvet({ ...options, ...given }) };
}

/** A new wallet with ether, not registered. */
export async function fundedWallet({ chain: { provider } }: World): Promise<HDNodeWallet> {
  const wallet = Wallet.createRandom();
  await provider.send('anvil_setBalance', [wallet.address, '0x56bc75e2d63100000']);
  return wallet;
}

/** A clock whose waits are short, for a client that waits for an RPC. */
export const impatientClock: Clock = {
  ...systemClock,
  sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / 50, signal),
};

export const thrown = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => new Error('did not throw'),
    (error: unknown) => error,
  );
