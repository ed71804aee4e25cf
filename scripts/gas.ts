import {
  Contract,
  ContractFactory,
  type ContractTransactionResponse,
  type HDNodeWallet,
  type InterfaceAbi,
  type Provider,
} from 'ethers';
import { overload } from '../src/chain/contract-interface.js';
import { devAccount } from '../src/chain/embedded-chain.js';

/** Gas used by transactions, by the name of the transaction, from their receipts. */
export type Gas = Record<string, number>;
type Sent = Promise<ContractTransactionResponse>;
type Trade = {
  readonly amount: bigint;
  /** Ether above the cost, which the contract returns. @default 0 */
  readonly surplus?: bigint;
  /** Deadline of the trade, as a timestamp in seconds. @default none */
  readonly deadline?: bigint;
};

/** Ether above the cost that some of the measured transactions send, in wei. */
const SURPLUS = 10n ** 15n;
/** A time in 2099, in seconds. None of its bytes is zero, because zero bytes of calldata cost less gas. */
const DEADLINE = 0xf48656ffn;

/** Sends every kind of transaction to a new market. Accounts and amounts are fixed, so the result depends only on the code. */
export async function measureGas(provider: Provider, abi: InterfaceAbi, bytecode: string): Promise<Gas> {
  const account = (i: number) => devAccount(i).connect(provider);
  const [owner, agent, other, holder] = [account(0), account(1), account(2), account(3)];
  const deployed = await new ContractFactory(abi, bytecode, owner).deploy(owner, 500n, 500n);
  await deployed.waitForDeployment();
  const market = new Contract(deployed, abi, provider);
  const { call, register, buy, sell } = transactions(market, agent.address);
  const gas: Gas = {};
  const record = async (what: string, sent: Sent) => {
    const receipt = await (await sent).wait();
    if (!receipt) throw new Error(`${what}: no receipt`);
    gas[what] = Number(receipt.gasUsed);
  };

  gas.deployment = Number((await deployed.deploymentTransaction()?.wait())?.gasUsed);
  // These names cost the most gas: 15 characters, every second one a space.
  await record('registration, fees to the own wallet', register(agent, 'A B C D E F G H', agent.address));
  await record('registration, fees to another wallet', register(other, 'I J K L M N O P', agent.address));
  await record('buy 1 by a new holder', buy(holder, { amount: 1n }));
  await record('buy 1 by a holder', buy(holder, { amount: 1n }));
  await record('buy 1 by a holder, surplus returned', buy(holder, { amount: 1n, surplus: SURPLUS }));
  await record('buy 20 by a holder', buy(holder, { amount: 20n }));
  await record('buy 20 by a holder, surplus returned', buy(holder, { amount: 20n, surplus: SURPLUS }));
  await record('buy 20 by a new holder', buy(account(4), { amount: 20n }));
  await record('sell 1 of several', sell(holder, { amount: 1n }));
  await record('sell 20 of several', sell(holder, { amount: 20n }));
  await record('sell 20 of several, with a deadline', sell(holder, { amount: 20n, deadline: DEADLINE }));
  await record('sell all', sell(account(4), { amount: 20n }));
  await record('withdrawal of agent fees', call(agent, 'withdrawAgentFees', []));
  await record('withdrawal of protocol fees', call(owner, 'withdrawProtocolFees', [owner]));
  const newHolder = { amount: 20n, surplus: SURPLUS };
  await record('buy 20 by a new holder, surplus returned', buy(account(5), newHolder));
  await record('buy 20 by a new holder, with a deadline, surplus returned', buy(account(6), { ...newHolder, deadline: DEADLINE }));
  await record('register and buy 20', register(account(7), 'Q R S T U V W X', account(7).address, { amount: 20n }));
  await record('register and buy 20, surplus returned', register(account(8), 'Y Z a b c d e f', account(8).address, newHolder));
  await record(
    'register and buy 20, fees to another wallet, surplus returned',
    register(account(9), 'G H I J K L M N', agent.address, newHolder),
  );
  return gas;
}

/** The transactions that wallets send to the market. All trades are in tickets of `agent`, at the current cost or payout. */
function transactions(market: Contract, agent: string) {
  const call = (signer: HDNodeWallet, name: string, args: unknown[], value = 0n): Sent => {
    const target = overload(market.interface, name, args);
    return (market.connect(signer) as Contract).getFunction(target).send(...args, { value });
  };
  const read = async (name: string, args: unknown[]): Promise<bigint> => market.getFunction(name)(...args);
  return {
    call,
    async register(signer: HDNodeWallet, name: string, feeDestination: string, first?: Trade) {
      const args: unknown[] = [name, name.toLowerCase().replaceAll(' ', '_'), feeDestination];
      if (first === undefined) return call(signer, 'registerAgent', args);
      const price = await read('getPrice', [1n, first.amount]);
      const cost = (price * 11n) / 10n; // both fees are 10 % of the price
      return call(signer, 'registerAgent', [...args, first.amount, cost], cost + (first.surplus ?? 0n));
    },
    async buy(signer: HDNodeWallet, { amount, surplus = 0n, deadline }: Trade) {
      const cost = await read('getBuyPriceAfterFee', [agent, amount]);
      return call(signer, 'buyTickets', [agent, amount, cost, ...(deadline ? [deadline] : [])], cost + surplus);
    },
    async sell(signer: HDNodeWallet, { amount, deadline }: Trade) {
      const payout = await read('getSellPriceAfterFee', [agent, amount]);
      return call(signer, 'sellTickets', [agent, amount, payout, ...(deadline ? [deadline] : [])]);
    },
  };
}
