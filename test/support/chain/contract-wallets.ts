import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Contract, ContractFactory, type HDNodeWallet } from 'ethers';
import solc from 'solc';
import { callData } from '../../../src/chain/contract-interface.js';
import { devAccount } from '../../../src/chain/embedded-chain.js';
import { newTrader } from '../market/traders.js';
import type { TestChain } from './chain.js';

/**
 * What the contract answers to isValidSignature (ERC-1271). The enumeration in contract-wallet.sol has the same order, and explains
 * each.
 */
export const behaviours = [
  'AcceptOwner',
  'AcceptAll',
  'Refuse',
  'WrongMagic',
  'DirtyPadding',
  'Unpadded',
  'Longer',
  'Empty',
  'Echo',
  'Huge',
  'Revert',
  'RevertWithMagic',
  'Invalid',
  'Burn',
] as const;
export type Behaviour = (typeof behaviours)[number];

/** A wallet that is a contract. `signer` is the account that owns it and signs for it. */
export type ContractWallet = {
  readonly wallet: string;
  readonly signer: HDNodeWallet;
  register(name: string): Promise<void>;
};

type Compiled = { readonly abi: object[]; readonly bytecode: string };
let compiled: Compiled | undefined;

function compile(): Compiled {
  const name = 'contract-wallet.sol';
  // This module runs in `dist/`, to which the Solidity source is not copied.
  const content = readFileSync(join(import.meta.dirname, '../../../../test/support/chain', name), 'utf8');
  const settings = { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } };
  const input = { language: 'Solidity', sources: { [name]: { content } }, settings };
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input)));
  const problems = errors.filter(({ severity }: { severity: string }) => severity === 'error');
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  const { abi, evm } = contracts[name].ContractWallet;
  return { abi, bytecode: `0x${evm.bytecode.object}` };
}

async function deploy({ provider }: TestChain, owner: string, behaviour: Behaviour): Promise<string> {
  compiled ??= compile();
  // Any account with ether can deploy the contract.
  const factory = new ContractFactory(compiled.abi, compiled.bytecode, devAccount(1).connect(provider));
  const contract = await factory.deploy(owner, behaviours.indexOf(behaviour));
  await contract.waitForDeployment();
  return (await contract.getAddress()).toLowerCase();
}

/** Deploys a contract wallet whose owner is a new account. */
export async function newContractWallet(chain: TestChain, behaviour: Behaviour = 'AcceptOwner'): Promise<ContractWallet> {
  const { signer: owner } = await newTrader(chain);
  return walletOf(chain, await deploy(chain, owner.address, behaviour), owner);
}

/** Creates an account that delegates to a contract wallet of another owner (EIP-7702). */
export async function newDelegatedAccount(
  chain: TestChain,
  behaviour: Behaviour = 'AcceptOwner',
): Promise<ContractWallet & { readonly account: HDNodeWallet }> {
  const [{ signer: account }, { signer: owner }] = [await newTrader(chain), await newTrader(chain)];
  const address = await deploy(chain, owner.address, behaviour);
  // The account sends the transaction itself, which raises its nonce before the authorization is checked.
  const authorization = await account.authorize({ address, nonce: (await account.getNonce()) + 1 });
  const sent = await account.sendTransaction({ type: 4, to: account.address, authorizationList: [authorization] });
  await sent.wait();
  return { ...walletOf(chain, account.address.toLowerCase(), owner), account };
}

function walletOf(chain: TestChain, wallet: string, owner: HDNodeWallet): ContractWallet {
  const contract = new Contract(wallet, compiled?.abi as never, owner);
  return {
    wallet,
    signer: owner,
    /** The owner registers through `execute`, so that the market contract sees the wallet as the sender. */
    async register(name) {
      const agentId = name.toLowerCase().replaceAll(' ', '_');
      const data = callData('registerAgent', [name, agentId, wallet]);
      await (await contract.getFunction('execute')(chain.contract, data)).wait();
    },
  };
}
