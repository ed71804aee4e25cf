import { Contract, type ContractTransactionReceipt, HDNodeWallet } from 'ethers';
import { ticketMarketAbi } from '../../../src/chain/abi.js';
import { overload } from '../../../src/chain/contract-interface.js';
import { devAccount } from '../../../src/chain/embedded-chain.js';
import type { TestChain } from '../chain/chain.js';
import { drawBytes } from '../seed.js';

/** A wallet with ether on the test chain, with functions for the transactions that it can send. */
export type Trader = ReturnType<typeof traderOf>;

/** Returns a wallet that no other test of the file has. */
export const drawWallet = (): HDNodeWallet => HDNodeWallet.fromSeed(drawBytes(32));

/** Creates a wallet with 100 ETH. */
export async function newTrader({ provider, contract }: Pick<TestChain, 'provider' | 'contract'>): Promise<Trader> {
  const signer = drawWallet().connect(provider);
  await provider.send('anvil_setBalance', [signer.address, '0x56bc75e2d63100000']);
  return traderOf(signer, contract);
}

/** Returns the contract as its owner, who sets fees and pauses. */
export function owner({ provider, contract }: TestChain): Contract {
  return new Contract(contract, ticketMarketAbi, devAccount(0).connect(provider));
}

/** The tickets of an agent that a wallet holds, as the contract says. */
export const ticketsOf = async (chain: TestChain, agent: string, holder: string): Promise<number> =>
  Number(await owner(chain).getFunction('ticketBalance')(agent, holder));

function traderOf(signer: HDNodeWallet, contractAddress: string) {
  const contract = new Contract(contractAddress, ticketMarketAbi, signer);
  const send = async (name: string, args: readonly unknown[], value = 0n): Promise<ContractTransactionReceipt> => {
    const sent = await contract.getFunction(overload(contract.interface, name, args))(...args, { value });
    return (await sent.wait()) as ContractTransactionReceipt;
  };
  return {
    wallet: signer.address.toLowerCase(),
    signer,
    register: (name: string, agentId = name.toLowerCase().replaceAll(' ', '_')) =>
      send('registerAgent', [name, agentId, signer.address]),
    /**
     * Registers and buys the first tickets in one transaction. Sends 1 ETH. The contract sends back what the tickets do not cost.
     */
    registerWithTickets(name: string, tickets: number) {
      const args = [name, name.toLowerCase().replaceAll(' ', '_'), signer.address, tickets, 10n ** 18n];
      return send('registerAgent', args, 10n ** 18n);
    },
    async buy(agent: string, amount: number) {
      const cost: bigint = await contract.getFunction('getBuyPriceAfterFee')(agent, amount);
      return send('buyTickets', [agent, amount, cost], cost);
    },
    /** Accepts any payout: the minimum is 1 wei. */
    sell: (agent: string, amount: number) => send('sellTickets', [agent, amount, 1n]),
    withdraw: () => send('withdrawAgentFees', []),
    /** Lets another wallet receive the fees of the agent. */
    payFeesTo: (wallet: string) => send('setFeeDestination', [wallet]),
  };
}
