import type { Curvet, TradeResult } from '../../curvet.js';
import { confidenceFault } from '../../recording.js';
import type { Side } from '../../signing/calldata.js';
import { toEth, toWei } from '../../signing/ether.js';
import { readJournal } from '../../signing/file-journal.js';
import { isOpen, isPending, termsOf } from '../../signing/journal.js';
import { spentToday } from '../../signing/limits.js';
import { Rpc } from '../../signing/rpc.js';
import { UsageError } from '../exit-codes.js';
import type { Session, TraderOptions } from '../session.js';
import {
  CONFIDENCE_RULES,
  checkRegistration,
  otherThesis,
  registerAndStore,
  THESIS_RULES,
  thesisLost,
} from '../trading-commands.js';
import type { LocalTool, Outcome } from './tool.js';
import { withdrawTool } from './withdraw-tool.js';

/** MCP clients wait a minute for an answer, so these waits are shorter. The next call continues a trade that takes longer. */
const WAITS: TraderOptions = { confirmMs: 40_000, busyMs: 40_000, maxWaitMs: 15_000 };

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const orNull = (type: string) => ({ type: [type, 'null'] });

/** The arguments of `buy` and `sell`. `checkArguments` has already checked them against the schema of the tool. */
type TradeArguments = {
  readonly agent: string;
  readonly amount: number;
  readonly maxSlippage?: number;
  readonly thesis?: string;
  readonly confidence?: number;
  readonly tradeId?: string;
  readonly id?: string;
  readonly again?: boolean;
  readonly dryRun?: boolean;
};

/** Tools that sign with the wallet of the session, within the limits of its settings. With `dryRun` they sign nothing. */
export const signingTools = (session: Session, { dryRun }: { readonly dryRun: boolean }): readonly LocalTool[] => [
  tradeTool(session, 'buy', dryRun),
  tradeTool(session, 'sell', dryRun),
  registerTool(session, dryRun),
  withdrawTool(session, dryRun, WAITS),
  statusTool(session),
];

const tradeTool = (session: Session, side: Side, dryRunOnly: boolean): LocalTool => ({
  name: side,
  title: side === 'buy' ? 'Buy tickets' : 'Sell tickets',
  description:
    `${side === 'buy' ? 'Buys' : 'Sells'} tickets of an agent, signed on this computer: quote, checks, signature, confirmation, ` +
    'record. It spends real ether, within limits that only the owner of the wallet changes. With dryRun, it checks everything and ' +
    'signs nothing. The result says in words what happened (outcome). If recordError is not null, the ether is spent: call again ' +
    'with the tradeId of the result, and with a corrected thesis or after retryAfter seconds; that signs nothing. After an error ' +
    'TRADE_PENDING or RPC, or without an answer, call again with the tradeId of the error or with the same arguments: it continues, ' +
    'and does not trade twice. GONE: a reorg removed the trade; only with again: true it is traded again, if your owner still wants ' +
    'it. After any other error but UNEXPECTED and TRADE_REPLACED nothing was traded: correct what it names.',
  input: {
    agent: {
      ...text,
      minLength: 1,
      maxLength: 100,
      description: 'Wallet address of the agent, its agentId, or its name.',
    },
    amount: { type: 'integer', minimum: 1, maximum: 20, description: 'Number of tickets, from 1 to 20.' },
    maxSlippage: {
      type: 'number',
      minimum: 0,
      maximum: 50,
      description: 'Accepted change of the price in percent, from 0 to 50. Default: 5.',
    },
    thesis: { ...text, description: `Reason for the trade: ${THESIS_RULES}. It is public.` },
    confidence: { type: 'integer', minimum: 1, maximum: 99, description: `Confidence: ${CONFIDENCE_RULES}. It is public.` },
    tradeId: {
      ...text,
      minLength: 1,
      maxLength: 100,
      description:
        'Name of this trade: one that you choose, or that of a result or an error, to continue it. However often it is called within ' +
        '30 days, it trades once, also after it has ended.',
    },
    id: { ...text, minLength: 1, maxLength: 100, description: 'Earlier name of tradeId.' },
    again: { ...flag, description: 'Trades again if a reorg has removed the trade of tradeId. Default: false.' },
    dryRun: { ...flag, description: 'Checks everything, and signs nothing. Default: false.' },
  },
  required: ['agent', 'amount'],
  output: {
    outcome: { ...text, description: 'What happened, and what to do next, in words.' },
    dryRun: { ...flag, description: 'Whether nothing was signed.' },
    side: { ...text, description: 'buy or sell.' },
    agent: text,
    amount: { type: 'integer' },
    tradeId: {
      ...text,
      description: 'Name of this trade. A call with it continues the trade, and never trades twice.',
    },
    hash: { ...text, description: 'Hash of the transaction.' },
    blockNumber: { type: 'integer' },
    recorded: {
      ...flag,
      description: 'Whether the service has recorded the trade. If not, it finds it on the chain later.',
    },
    recordError: {
      type: ['object', 'null'],
      description: 'Why the service has not recorded the trade: code, error, hint, HTTP status, and retryAfter in seconds or null.',
    },
    thesis: { ...orNull('string'), description: 'The recorded thesis, or the given one if it is not recorded.' },
    continued: { ...flag, description: 'Whether an earlier call had signed the trade.' },
    totalEth: { ...text, description: 'What the trade cost or paid, or would, fees included, in ETH.' },
    ticketsHeld: { type: 'integer', description: 'Tickets that the wallet held after the trade.' },
    boundEth: { ...text, description: 'Only in a dry run: maximum cost, or minimum payout, in ETH.' },
    maxGasFeeEth: { ...text, description: 'Only in a dry run: maximum gas fee, in ETH.' },
    deadline: { ...orNull('string'), description: 'Only in a dry run: when the transaction would expire.' },
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  run: (args) => trade(session, side, dryRunOnly, args as unknown as TradeArguments),
});

async function trade(session: Session, side: Side, dryRunOnly: boolean, given: TradeArguments): Promise<Outcome> {
  const { dryRun, tradeId, id = tradeId, ...terms } = given;
  const fault = confidenceFault(terms);
  if (fault !== undefined) throw new UsageError(fault);
  const request = { ...terms, ...(id === undefined ? {} : { id }) };
  const { trade: trades } = await session.trader(WAITS);
  const told = { side, agent: request.agent, amount: request.amount };
  if (dryRun || dryRunOnly)
    return {
      data: {
        outcome: 'Nothing was signed: this is a dry run.',
        dryRun: true,
        ...told,
        ...figuresOf(await trades.dryRun(side, request)),
      },
    };
  // Without an id, `hold` leaves the trade open until the answer is written. If the process dies before that, the next call
  // continues the trade.
  const hold = id === undefined;
  const result = await trades[side]({ ...request, hold });
  const data = { outcome: inWords(side, given, result), dryRun: false, ...told, ...resultOf(result) };
  // A trade whose thesis is not recorded stays open, so that the same call records the thesis and does not trade again.
  return { data, sent: hold && !thesisLost(result) ? () => trades.close(result.id) : undefined };
}

const figuresOf = (plan: Awaited<ReturnType<Curvet['trade']['dryRun']>>) => ({
  totalEth: plan.totalEth,
  boundEth: plan.boundEth,
  maxGasFeeEth: toEth(BigInt(plan.maxGasFee)),
  deadline: plan.deadline,
});

/** The result of a completed trade. Its amounts come from the chain, so they do not depend on what the service answers. */
const resultOf = ({ id, trade, hash, blockNumber, continued, recordError, thesis, totalEth, ticketsHeld }: TradeResult) => ({
  tradeId: id,
  hash,
  blockNumber,
  continued,
  recorded: trade !== null,
  recordError,
  thesis,
  totalEth,
  ticketsHeld,
});

function inWords(side: Side, { amount, thesis }: TradeArguments, result: TradeResult): string {
  const { blockNumber, totalEth, ticketsHeld, continued } = result;
  const verb = side === 'buy' ? 'Bought' : 'Sold';
  const traded = `${verb} ${amount} on the chain in block ${blockNumber} for ${totalEth} ETH. The wallet holds ${ticketsHeld}.`;
  const signed = continued ? 'An earlier call signed it; this call signed nothing.' : '';
  return [traded, signed, ...recordInWords(thesis, result)].filter(Boolean).join(' ');
}

function recordInWords(given: string | undefined, result: TradeResult): readonly (string | undefined)[] {
  const { id, recordError, trade: recorded } = result;
  const lost = thesisLost(result);
  if (lost) return [lost, `The tradeId is ${id}.`];
  if (recorded) return ['Recorded.', otherThesis(given, result)];
  const why = recordError ? ` because: ${recordError.error}` : '';
  return [`Not recorded yet${why}.`, 'The service finds the trade on the chain by itself.'];
}

const registerTool = (session: Session, dryRunOnly: boolean): LocalTool => ({
  name: 'register',
  title: 'Register the wallet as an agent',
  description:
    'Registers the wallet of this computer as an agent, on the chain and with the service. A wallet registers once, and its name ' +
    'never changes. It spends gas, and ether if firstTickets is above 0. The API key is stored encrypted, and is not in the answer. ' +
    'After an unknown outcome, repeat the call with the same arguments.',
  input: {
    name: { ...text, minLength: 2, maxLength: 15, description: 'Name of the agent, 2 to 15 characters.' },
    description: { ...text, maxLength: 160, description: 'What the agent does, at most 160 characters. It is public.' },
    firstTickets: {
      type: 'integer',
      minimum: 0,
      maximum: 20,
      description: 'Own tickets to buy with the registration, from 0 to 20. One more is free. Default: 0.',
    },
    dryRun: { ...flag, description: 'Only tells whether the name is free. Default: false.' },
  },
  required: ['name'],
  output: {
    dryRun: flag,
    available: { ...flag, description: 'Only in a dry run: whether the name is free.' },
    agentId: { ...orNull('string'), description: 'agentId of the name. Null if the name is not valid.' },
    walletAddress: text,
    verificationCode: { ...text, description: 'Code to publish in a post on X, which verifies the agent.' },
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
  async run(args) {
    const { dryRun, ...request } = args as {
      name: string;
      description?: string;
      firstTickets?: number;
      dryRun?: boolean;
    };
    if (dryRun || dryRunOnly) {
      const { available, agentId } = await checkRegistration(session, request.name);
      return { data: { dryRun: true, available, agentId } };
    }
    await session.trader(WAITS);
    const { agent, verificationCode } = await registerAndStore(session, request);
    const { agentId, walletAddress } = agent;
    return { data: { dryRun: false, agentId, walletAddress, verificationCode } };
  },
});

const statusTool = (session: Session): LocalTool => ({
  name: 'wallet_status',
  title: 'Wallet, balance and limits',
  description:
    'Address and balance of the wallet of this computer, its spending limits, what is left of them today, and trades that have ' +
    'not ended. Only the owner of the wallet changes the limits, in a file.',
  input: {},
  required: [],
  output: {
    address: text,
    chainId: { type: 'integer' },
    contract: { ...text, description: 'The only contract for which the wallet signs.' },
    balanceEth: { ...orNull('string'), description: 'Null if the chain does not answer.' },
    limits: {
      type: 'object',
      description: 'Maximum per trade, within 24 hours (gas included), and for gas, in ETH.',
      properties: { perTradeEth: text, perDayEth: text, gasEth: text },
    },
    leftTodayEth: { ...text, description: 'What transactions may still take within 24 hours, in ETH.' },
    unfinished: {
      type: 'array',
      description:
        'Trades, registrations and withdrawals that are signed and have not ended, or whose thesis is not recorded. Repeat the call to continue one.',
      items: { type: 'object' },
    },
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  run: async () => ({ data: await statusOf(session) }),
});

async function statusOf(session: Session): Promise<object> {
  const { address } = await session.wallet();
  const { chainId, contract, perTrade, perDay, gas } = await session.limits();
  const entries = (await readJournal(session.home.journalPath)).filter(({ wallet }) => wallet === address.toLowerCase());
  const now = session.io.clock.now();
  const left = toWei(perDay) - spentToday(entries, now);
  return {
    address: address.toLowerCase(),
    chainId,
    contract,
    balanceEth: await balanceOf(session, address).catch(() => null),
    limits: { perTradeEth: toEth(toWei(perTrade)), perDayEth: toEth(toWei(perDay)), gasEth: toEth(toWei(gas)) },
    leftTodayEth: toEth(left > 0n ? left : 0n),
    unfinished: entries
      // A recorded entry may still be open until its answer is written (`hold`), but nothing of it is unfinished.
      .filter((entry) => isPending(entry) || (isOpen(entry, now) && entry.state !== 'recorded'))
      .map((entry) => ({ id: entry.id, kind: entry.kind, terms: JSON.parse(termsOf(entry)) })),
  };
}

async function balanceOf(session: Session, address: string): Promise<string | null> {
  const url = session.io.env.CURVET_RPC_URL ?? (await (await session.reader()).market.contract()).rpcUrl;
  return url ? toEth(await new Rpc(url, globalThis.fetch, session.io.clock).balance(address)) : null;
}
