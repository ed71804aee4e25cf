import { formatEther, type Provider, type Result, ZeroAddress } from 'ethers';
import { callData, ticketMarket } from '../../src/chain/contract-interface.js';

/** Code of an account with a delegation (EIP-7702) begins with this. Such an account has code, but its key still signs. */
const DELEGATION = '0xef0100';

/** Report of what the owner has set, read from the contract. */
export async function stateReport(provider: Provider, address: string): Promise<string> {
  const read = async (name: string): Promise<Result> => {
    const answer = await provider.call({ to: address, data: callData(name, []) });
    return ticketMarket.decodeFunctionResult(name, answer);
  };
  const [owner] = await read('owner');
  const [offeredTo] = await read('pendingOwner');
  const [paused] = await read('paused');
  const fees = await read('feeSplit');
  const [protocolFees] = await read('pendingProtocolFees');
  const code = await provider.getCode(owner);
  const kind = code === '0x' || code.startsWith(DELEGATION) ? 'an account with one key' : 'a contract';
  const rows = [
    ['Owner', `${owner}, ${kind}`],
    ['Ownership offered to', offeredTo === ZeroAddress ? 'nobody' : offeredTo],
    ['Paused', paused ? 'yes' : 'no'],
    ['Fees', `${fees[0]} + ${fees[1]} basis points`],
    ['Proposed fees', await proposal(read)],
    ['Protocol fees', `${formatEther(protocolFees)} ether`],
  ];
  return ['State:', ...rows.map(([name = '', value]) => `  ${name.padEnd(22)} ${value}`), ''].join('\n');
}

async function proposal(read: (name: string) => Promise<Result>): Promise<string> {
  const [protocolBps, agentBps, from] = await read('pendingFeeUpdate');
  if (from === 0n) return 'none';
  const [delay] = await read('FEE_UPDATE_DELAY');
  const [grace] = await read('FEE_UPDATE_GRACE');
  const time = (seconds: bigint) => new Date(Number(seconds) * 1000).toISOString();
  // The time to apply the fees ends `grace` after the proposal, which was `delay` before `from`.
  return `${protocolBps} + ${agentBps} basis points, from ${time(from)} to ${time(from - delay + grace)}`;
}
