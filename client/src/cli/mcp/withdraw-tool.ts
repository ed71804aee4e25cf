import type { Session, TraderOptions } from '../session.js';
import type { LocalTool } from './tool.js';

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

/** A tool that withdraws the fees of the agent. It takes no amount and no receiver, so a model cannot send the fees elsewhere. */
export const withdrawTool = (session: Session, dryRunOnly: boolean, waits: TraderOptions): LocalTool => ({
  name: 'withdraw',
  title: 'Withdraw the fees of the agent',
  description:
    'Pays the pending fees of your agent from the contract to its fee destination. It needs at least 0.001 ETH of fees, and 24 hours ' +
    'since the withdrawal before. It spends gas. After an unknown outcome, repeat the call.',
  input: { dryRun: { ...flag, description: 'Checks everything, and signs nothing. Default: false.' } },
  required: [],
  output: {
    dryRun: { ...flag, description: 'Whether nothing was signed.' },
    amountEth: { ...text, description: 'Fees that were paid, or would be paid, in ETH.' },
    hash: { type: ['string', 'null'], description: 'Hash of the transaction. Null in a dry run.' },
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  async run(args) {
    const dryRun = args.dryRun === true || dryRunOnly;
    const curvet = await session.trader(waits);
    // `hold` leaves the withdrawal open until `sent` has run. If the process dies before the answer is written, the next call
    // returns it.
    const { id, hash, amountEth } = await curvet.withdraw({ dryRun, hold: true });
    const data = { dryRun, amountEth, hash };
    return id === null ? { data } : { data, sent: () => curvet.trade.close(id) };
  },
});
