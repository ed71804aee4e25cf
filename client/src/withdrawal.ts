import { TradeError } from './errors.js';
import type { Transport } from './http/transport.js';
import { selectors } from './signing/calldata.js';
import { toEth } from './signing/ether.js';
import { type JournalFile, store } from './signing/journal.js';
import { RpcError } from './signing/rpc.js';
import type { Wallet } from './signing/wallet.js';

export type WithdrawalRequest = {
  /** Checks everything up to the signature, and signs nothing. @default false */
  readonly dryRun?: boolean;
  /**
   * Leaves the withdrawal open until `trade.close(id)`, or for 24 hours. As long as it is open, a call returns it. @default false
   */
  readonly hold?: boolean;
};

/**
 * The fees that the contract has paid to the fee destination of the agent. `id`, `hash` and `blockNumber` are null in a dry run.
 */
export type Withdrawal = {
  readonly id: string | null;
  readonly hash: string | null;
  readonly blockNumber: number | null;
  /** Amount in wei. */
  readonly amount: string;
  readonly amountEth: string;
};

/** Gas limit of a withdrawal. It suffices for a fee destination that is a contract. A payment to a wallet needs about 50,000. */
const GAS = 150_000n;
const CALL = { data: selectors.withdrawAgentFees.plain, value: 0n, gasLimit: GAS };
/**
 * The job of every withdrawal. Its terms are always the same, so a call continues a withdrawal that has not ended. If the chain has
 * lost a withdrawal, it is signed again: the fees are still there, and belong to the agent.
 */
const JOB = { kind: 'withdraw', terms: '{}', again: true, build: async () => CALL } as const;

/** Withdraws the pending fees of the agent. After a crash, a second call continues the first. */
export function withdraw(t: Transport, wallet: Wallet, { dryRun, hold = false }: WithdrawalRequest = {}): Promise<Withdrawal> {
  return wallet.journal.exclusive((file) =>
    (dryRun ? plan(wallet, file) : carryOut(t, wallet, file, hold)).catch((error: unknown) => {
      throw inWords(error, t.clock.now());
    }),
  );
}

async function plan(wallet: Wallet, file: JournalFile): Promise<Withdrawal> {
  const rpc = await wallet.rpc();
  await wallet.prepare(file, CALL);
  const pending = await rpc.read(wallet.limits.contract, PENDING + wallet.address.slice(2).padStart(64, '0'));
  return { id: null, hash: null, blockNumber: null, ...amountOf(BigInt(pending)) };
}

/** Selector of `pendingAgentFees(address)`, which reads how much an agent can withdraw. */
const PENDING = '0x99b94571';

async function carryOut(t: Transport, wallet: Wallet, file: JournalFile, hold: boolean): Promise<Withdrawal> {
  const entry = await wallet.run(file, JOB);
  await store(file, { ...entry, state: 'recorded', open: hold }, t.clock.now());
  const { id, hash = null, blockNumber = null, traded } = entry;
  return { id, hash, blockNumber, ...amountOf(BigInt(traded?.total ?? 0)) };
}

const amountOf = (amount: bigint) => ({ amount: String(amount), amountEth: toEth(amount) });

/** Turns an error of the contract into one that says why it refuses the withdrawal. Other errors stay as they are. */
function inWords(error: unknown, now: number): unknown {
  if (!(error instanceof RpcError)) return error;
  const { code, message, details } = error;
  const [first = 0n, second = 0n] = wordsOf(details.data);
  const words = (text: string, hint: string, retryAfter?: number) =>
    new TradeError(code, text, { hint: `Nothing was sent. ${hint}`, details, retryAfter });
  switch (message) {
    case 'FeesBelowMinimum':
      return words(
        `${toEth(first)} ETH of fees are pending, and a withdrawal needs ${toEth(second)} ETH`,
        'Every trade in the tickets of the agent adds to its fees.',
      );
    case 'WithdrawalTooEarly':
      return words(
        `the next withdrawal is possible at ${new Date(Number(first) * 1000).toISOString()}`,
        'The contract pays an agent once in 24 hours.',
        Math.max(1, Number(first) - Math.floor(now / 1000)),
      );
    case 'AgentNotRegistered':
      return words('the wallet is not registered on the chain', 'Only a registered agent has fees.');
    default:
      return error;
  }
}

/** The words (32 bytes each) in the data of a contract's error, after its selector. */
const wordsOf = (data: unknown): bigint[] =>
  (
    String(data)
      .slice(10)
      .match(/[0-9a-f]{64}/gi) ?? []
  ).map((word) => BigInt(`0x${word}`));
