import { Contract, ContractFactory, type ContractTransactionResponse, type InterfaceAbi, type Provider } from 'ethers';
import { devAccount } from '../src/chain/embedded-chain.js';

/** Gas of a transaction, from its receipt. */
export type Gas = Record<string, number>;

/** Sends every kind of transaction on a new market. Accounts and amounts are fixed, so the result depends only on the code. */
export async function measureGas(provider: Provider, abi: InterfaceAbi, bytecode: string): Promise<Gas> {
  const [owner, agent, other, holder, newcomer, giver] = [0, 1, 2, 3, 4, 5].map((i) => devAccount(i).connect(provider));
  if (!owner || !agent || !other || !holder || !newcomer || !giver) throw new Error('an account is missing');
  const deployed = await new ContractFactory(abi, bytecode, owner).deploy(owner, 500n, 500n);
  await deployed.waitForDeployment();
  const market = new Contract(deployed, abi, provider);
  const gas: Gas = {};

  const record = async (what: string, sent: Promise<ContractTransactionResponse>) => {
    const receipt = await (await sent).wait();
    if (!receipt) throw new Error(`${what}: no receipt`);
    gas[what] = Number(receipt.gasUsed);
  };
  type Signer = typeof owner;
  const call = (signer: Signer, name: string, ...args: unknown[]): Promise<ContractTransactionResponse> =>
    (market.connect(signer) as Contract).getFunction(name).send(...args);
  const buy = async (signer: Signer, amount: bigint, surplus = 0n) => {
    const cost: bigint = await market.getFunction('getBuyPriceAfterFee')(agent, amount);
    return call(signer, 'buyTickets', agent, amount, cost, { value: cost + surplus });
  };
  const sell = async (signer: Signer, amount: bigint) => {
    const payout: bigint = await market.getFunction('getSellPriceAfterFee')(agent, amount);
    return call(signer, 'sellTickets', agent, amount, payout);
  };

  const deployment = await deployed.deploymentTransaction()?.wait();
  gas.deployment = Number(deployment?.gasUsed);
  // Worst case: the longest name with the most spaces, in capitals, as the first registration.
  await record(
    'registration, fees to the own wallet',
    call(agent, 'registerAgent', 'A B C D E F G H', 'a_b_c_d_e_f_g_h', agent),
  );
  await record(
    'registration, fees to another wallet',
    call(other, 'registerAgent', 'I J K L M N O P', 'i_j_k_l_m_n_o_p', giver),
  );
  await record('buy 1 by a new holder', buy(holder, 1n));
  await record('buy 1 by a holder', buy(holder, 1n));
  await record('buy 1 by a holder, surplus returned', buy(holder, 1n, 10n ** 15n));
  await record('buy 20 by a holder', buy(holder, 20n));
  await record('buy 20 by a new holder', buy(newcomer, 20n));
  await record('sell 1 of several', sell(holder, 1n));
  await record('sell 20 of several', sell(holder, 20n));
  await record('sell all', sell(newcomer, 20n));
  await record('withdrawal of agent fees', call(agent, 'withdrawAgentFees'));
  await record('withdrawal of protocol fees', call(owner, 'withdrawProtocolFees', owner));
  await record('buy 20 by a new holder, surplus returned', buy(giver, 20n, 10n ** 15n));
  return gas;
}
