import type { Provider } from 'ethers';
import { ticketMarket } from '../../src/chain/contract-interface.js';
import { findDeployBlock } from '../../src/chain/logs/ranges.js';
import { type RpcProvider, RpcUnavailable } from '../../src/chain/rpc.js';
import { CONTRACT_IDENTIFIER, type Compiled, compilerVersion, STANDARD_INPUT } from '../compile.js';
import { type Arguments, deterministicAddress, encodeArguments, equalsBuild } from './build.js';
import { Refusal } from './settings.js';

/** How the contract was created: in which block, and with which arguments of its constructor. */
export type Creation = { readonly block: number; readonly args: Arguments };

/**
 * Reads the creation from the first logs of the contract. Null if the node has no old state, which the search for the block needs.
 * Refuses a contract whose first block has no logs of this constructor, because other bytecode created it.
 */
export async function readCreation(provider: RpcProvider, address: string): Promise<Creation | null> {
  const block = await findDeployBlock(provider, address).catch((error: unknown) => {
    if (error instanceof RpcUnavailable) throw error;
    return null;
  });
  if (block === null) return null;
  const logs = await provider.getLogs({ address, fromBlock: block, toBlock: block });
  const first = (name: string) => {
    const log = logs.find(({ topics }) => topics[0] === ticketMarket.getEvent(name)?.topicHash);
    return log && ticketMarket.parseLog(log)?.args;
  };
  const [owner, fees] = [first('OwnershipTransferred'), first('FeesChanged')];
  if (!owner || !fees) throw new Refusal(`Block ${block}, which created ${address}, has no logs of this constructor`);
  return { block, args: { owner: owner[1], protocolBps: Number(fees[0]), agentBps: Number(fees[1]) } };
}

/** Refuses an address whose code is not the build's. */
export async function requireBuild(provider: Provider, address: string, built: Compiled): Promise<void> {
  const code = await provider.getCode(address);
  if (code === '0x') throw new Refusal(`${address} has no code`);
  if (!equalsBuild(code.slice(2), built.deployed)) {
    throw new Refusal(`The code at ${address} is not the build of ${STANDARD_INPUT}`);
  }
}

/**
 * Says whether the address proves how the contract was created. Equal code does not prove equal storage: other bytecode can create
 * the same code, with balances of its choice. The address of the deterministic deployer proves the whole creation.
 */
const proofOfCreation = (address: string, args: Arguments, salt: string): string =>
  address.toLowerCase() === deterministicAddress(args, salt)
    ? 'The address proves how the contract was created: by this bytecode with these arguments.'
    : 'The address does not prove how the contract was created: compare the input of its transaction with bytecode and arguments.';

type Contract = { readonly chainId: number; readonly address: string; readonly salt: string };

/** Report of a verification: what has been compared, and what a block explorer or Sourcify asks for. */
export function verificationReport({ chainId, address, salt }: Contract, args: Arguments | undefined): string {
  const rows: [string, string | number][] = [
    ['Chain', chainId],
    ['Address', address],
    ['Contract', CONTRACT_IDENTIFIER],
    ['Compiler', compilerVersion()],
    ['Standard JSON input', STANDARD_INPUT],
    ['Licence', 'MIT'],
  ];
  if (args) {
    const { owner, protocolBps, agentBps } = args;
    rows.push(['First owner and fees', `${owner}, ${protocolBps} + ${agentBps} basis points`]);
    rows.push(['Constructor arguments', encodeArguments(args).slice(2)]);
  }
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    `The code at ${address} is the build of ${STANDARD_INPUT}.`,
    args ? proofOfCreation(address, args, salt) : 'This RPC has no old state, so the creation is not checked.',
    'A block explorer or Sourcify asks for:',
    ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    '',
  ].join('\n');
}
