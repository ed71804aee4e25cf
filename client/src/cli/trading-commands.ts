import { type Curvet, CurvetError, type RegistrationRequest, TradeError, type TradeResult } from '../curvet.js';
import { checkUrl } from '../http/service-url.js';
import { confidenceFault } from '../recording.js';
import { toEth, toWei } from '../signing/ether.js';
import { type Call, type Command, type Output, text } from './command.js';
import { UsageError } from './exit-codes.js';
import { seal } from './keystore.js';
import type { Session } from './session.js';

const amountOf = (given = '', option = 'AMOUNT'): number => {
  const amount = Number(given);
  if (!/^\d+$/.test(given) || amount < 1 || amount > 20) throw new UsageError(`${option} is a number of tickets from 1 to 20`);
  return amount;
};

function slippageOf(given: string | undefined): { readonly maxSlippage?: number } {
  if (given === undefined) return {};
  const percent = Number(given);
  if (!/^\d+(\.\d{1,2})?$/.test(given) || percent > 50) {
    throw new UsageError('--max-slippage is a percentage from 0 to 50 with at most 2 decimals');
  }
  return { maxSlippage: percent };
}

const slippageOption = {
  type: 'string',
  value: 'PERCENT',
  summary: 'accepted change of the price, from 0 to 50 (default 5)',
} as const;

const deadlineOption = {
  type: 'string',
  value: 'SECONDS',
  summary: 'time in which the trade must be mined, from 10 to 3600 (default 600)',
} as const;

function deadlineOf(given: string | undefined): { readonly deadlineSeconds?: number } {
  if (given === undefined) return {};
  const seconds = Number(given);
  if (!/^\d+$/.test(given) || seconds < 10 || seconds > 3600) throw new UsageError('--deadline is a number from 10 to 3600');
  return { deadlineSeconds: seconds };
}

/** The rules of the service for a confidence, as the help and the MCP tools show them. */
export const CONFIDENCE_RULES = 'how sure you are that the trade pays within a day after all fees: 1 to 99 percent. Needs a thesis';

function confidenceOf(given: string | undefined, thesis: string | undefined): { readonly confidence?: number } {
  if (given === undefined) return {};
  const confidence = /^\d+$/.test(given) ? Number(given) : Number.NaN;
  const fault = confidenceFault({ thesis, confidence });
  if (fault !== undefined) throw new UsageError(`--${fault}`);
  return { confidence };
}

const quote: Command = {
  usage: '<agent> [amount]',
  summary: 'price of tickets now, fees included',
  args: [1, 2],
  options: {
    sell: { type: 'boolean', summary: 'what a sale pays, instead of what a purchase costs' },
    'max-slippage': slippageOption,
  },
  examples: ['curvet quote scout 3', 'curvet quote scout --sell --max-slippage 1'],
  async run({ session, args: [agent = '', given = '1'], values }) {
    const amount = amountOf(given);
    const { maxSlippage: slippage = 5 } = slippageOf(text(values['max-slippage']));
    const curvet = await session.reader();
    const wallet = await addressOf(curvet, agent);
    const data = await curvet.market.price({ agent: wallet, amount, type: values.sell ? 'sell' : 'buy', slippage });
    const bound = values.sell ? `at least ${data.minPayoutEth}` : `at most ${data.maxTotalCostEth}`;
    const verb = values.sell ? 'pay' : 'cost';
    return {
      data,
      text: `${tickets(amount)} of ${agent} ${verb} ${data.priceAfterFeeEth} ETH, with slippage ${bound} ETH`,
    };
  },
};

const addressOf = async (curvet: Curvet, agent: string): Promise<string> =>
  /^0x[0-9a-f]{40}$/i.test(agent) ? agent : (await curvet.agents.get(agent)).walletAddress;

const tickets = (amount: number): string => `${amount} ticket${amount === 1 ? '' : 's'}`;

const trade = (side: 'buy' | 'sell'): Command => ({
  usage: '<agent> <amount>',
  summary: side === 'buy' ? 'buys tickets of an agent' : 'sells tickets of an agent',
  args: [2, 2],
  options: {
    'max-slippage': slippageOption,
    deadline: deadlineOption,
    thesis: { type: 'string', value: 'TEXT', summary: `reason: ${THESIS_RULES}` },
    confidence: { type: 'string', value: 'N', summary: CONFIDENCE_RULES },
    id: {
      type: 'string',
      value: 'ID',
      summary: 'name of this trade: however often it runs within 30 days, it trades once',
    },
    again: { type: 'boolean', summary: 'trades again if a reorg has removed the trade of --id' },
  },
  examples: [
    `curvet ${side} scout 3 --thesis "Steady volume" --confidence 70`,
    `curvet ${side} scout 1 --max-slippage 1 --dry-run`,
  ],
  async run({ session, args: [agent = '', given], values, dryRun }) {
    const [thesis, id] = [text(values.thesis), text(values.id)];
    if (id === '') throw new UsageError('--id needs a value: --id=ID');
    const request = {
      agent,
      amount: amountOf(given),
      ...slippageOf(text(values['max-slippage'])),
      ...(thesis === undefined ? {} : { thesis }),
      ...confidenceOf(text(values.confidence), thesis),
      ...(id === undefined ? {} : { id }),
      again: values.again === true,
    };
    const { trade } = await session.trader(deadlineOf(text(values.deadline)));
    if (dryRun) return planned(await trade.dryRun(side, request));
    // Without an id, `hold` leaves the trade open until its result is printed. If the process dies before that, the next run
    // continues the trade.
    const data = await trade[side]({ ...request, hold: id === undefined });
    const again = data.continued ? ' (continues an earlier run)' : '';
    const verb = side === 'buy' ? 'Bought' : 'Sold';
    const done = `${verb} ${tickets(request.amount)} of ${agent} for ${data.totalEth} ETH; the wallet holds ${data.ticketsHeld}`;
    const lost = thesisLost(data);
    const advice = lost && `To do so, add --id ${data.id}`;
    const lines = [`${done}${again}`, data.hash, lost, advice, otherThesis(thesis, data)];
    return {
      data,
      text: lines.filter(Boolean).join('\n'),
      ...(lost === undefined ? {} : { exit: 'unrecorded' as const }),
    };
  },
  after: closeHeld,
});

/** The rules of the service for a thesis, as the help and the MCP tools show them. */
export const THESIS_RULES = 'no `$`, no `{`, no URL, at most 140 characters; write USD for dollars';

/** Says what to do if the thesis of a trade is not recorded. undefined if it is recorded, or the trade has none. */
export function thesisLost({ recordError, blockNumber, thesis }: TradeResult): string | undefined {
  if (!recordError || thesis === null) return undefined;
  const { error, hint, retryAfter, status } = recordError;
  const isLater = status === 0 || status >= 500;
  const otherwise = isLater ? 'later' : 'with a corrected thesis, or without one';
  const when = retryAfter === null ? otherwise : `in ${retryAfter} seconds`;
  return (
    `The trade is on the chain in block ${blockNumber}, and its thesis is not recorded because: ${error}. ${hint} ` +
    `Do not trade anew: run the same trade under its id ${when}. That signs nothing.`
  );
}

/** Says so if the recorded thesis is not the given one: an earlier call recorded it, and the answer to that call was lost. */
export function otherThesis(given: string | undefined, { trade }: TradeResult): string | undefined {
  if (!trade || given === undefined || trade.thesis === (given.trim() || null)) return undefined;
  return trade.thesis === null ? 'The trade is recorded without a thesis.' : `The recorded thesis is "${trade.thesis}".`;
}

/**
 * Closes a trade without an id, after its result is printed. A trade whose thesis is not recorded stays open: the next run records
 * the thesis, and does not trade again.
 */
async function closeHeld({ session, values, dryRun }: Call, { data, exit }: Output): Promise<void> {
  if (dryRun || values.id !== undefined || exit === 'unrecorded') return;
  await (await session.trader()).trade.close((data as { id: string }).id);
}

function planned(plan: Awaited<ReturnType<Curvet['trade']['dryRun']>>): Output {
  const { side, amount, agent, totalEth, boundEth, maxGasFee, transaction } = plan;
  const [verb, bound] = side === 'buy' ? ['cost', 'at most'] : ['pay', 'at least'];
  const hex = (value: bigint) => `0x${value.toString(16)}`;
  const { gas: _, value, gasLimit, maxFeePerGas, maxPriorityFeePerGas, ...rest } = transaction;
  const unsigned = {
    ...rest,
    value: hex(value),
    gasLimit: hex(gasLimit),
    maxFeePerGas: hex(maxFeePerGas),
    maxPriorityFeePerGas: hex(maxPriorityFeePerGas),
  };
  return {
    data: { dryRun: true, ...plan, transaction: unsigned },
    text: `Dry run: ${tickets(amount)} of ${agent} would ${verb} ${totalEth} ETH, ${bound} ${boundEth} ETH, and at most ${toEth(BigInt(maxGasFee))} ETH of gas. Nothing was signed.`,
  };
}

const register: Command = {
  usage: '<name>',
  summary: 'registers the wallet as an agent, on the chain and with the service',
  args: [1, 1],
  options: {
    'first-tickets': { type: 'string', value: 'N', summary: 'own tickets to buy with the registration (default 0)' },
    description: { type: 'string', value: 'TEXT', summary: 'what the agent does, at most 160 characters' },
    'avatar-url': { type: 'string', value: 'URL', summary: 'https URL of a picture' },
    'referred-by': { type: 'string', value: 'AGENT', summary: 'agentId of the agent that referred this one' },
  },
  examples: ['curvet register "Scout" --description "Watches new agents"', 'curvet register Scout --dry-run'],
  async run({ session, args: [name = ''], values, dryRun }) {
    const first = text(values['first-tickets']) ?? '0';
    const firstTickets = first === '0' ? 0 : amountOf(first, '--first-tickets');
    if (dryRun) {
      const data = await checkRegistration(session, name);
      const outcome = data.available ? `is available as ${data.agentId}` : `is not available: ${data.reason}`;
      return { data: { dryRun: true, ...data }, text: `Dry run: ${name} ${outcome}. Nothing was sent.` };
    }
    const profile = {
      description: text(values.description),
      avatarUrl: text(values['avatar-url']),
      referredBy: text(values['referred-by']),
    };
    const data = await registerAndStore(session, { name, ...given(profile), firstTickets });
    const { agent, verificationCode } = data;
    return {
      data,
      text: `${agent.name} is registered as ${agent.agentId}. The encrypted API key is in ${session.home.agentPath}.\nTo verify the agent, publish ${verificationCode} in a post, then run: curvet verify <url of the post>`,
    };
  },
};

/** The checks of a registration that spend nothing: the URL of the service, and whether the name is free. */
export async function checkRegistration(session: Session, name: string) {
  const curvet = await session.reader();
  await checkUrl(curvet, await session.url());
  return curvet.agents.availability(name);
}

/** Registers the wallet, and stores the API key encrypted. The result does not contain the key. */
export async function registerAndStore(session: Session, request: Omit<RegistrationRequest, 'hold'>) {
  // The service shows the key only once, and the command cannot store it without a password. So the command asks for the password
  // before it registers.
  const password = await session.password();
  const trader = await session.trader();
  const registered = await trader.register({ ...request, hold: true }).catch(nameFaucet);
  const { id, apiKey, agent, verificationCode, claimUrl } = registered;
  session.secrets.keep(apiKey);
  const stored = { url: await session.url(), address: agent.walletAddress, agentId: agent.agentId };
  await session.home.write(session.home.agentPath, { ...stored, apiKey: await seal(apiKey, password) });
  // Only now the key is stored. If the process dies before, the registration is open, and the next run gets the key again.
  await trader.trade.close(id);
  const { apiKey: _, ...visible } = agent;
  return { agent: visible, verificationCode, claimUrl, keyFile: session.home.agentPath };
}

/** Adds advice to the error of a wallet with too little ether, because a new wallet has none. */
function nameFaucet(error: unknown): never {
  if (!(error instanceof CurvetError && error.code === 'INSUFFICIENT_FUNDS')) throw error;
  const { code, message, hint, details } = error;
  throw new TradeError(code, message, { hint: `${hint} On an embedded chain, "curvet faucet" sends 1 ETH.`, details });
}

/** Leaves out the fields that are undefined: options that were not given. */
const given = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

export const tradingCommands = { register, quote, buy: trade('buy'), sell: trade('sell') };
export const isEther = (amount: string): boolean => {
  try {
    return toWei(amount) >= 0n;
  } catch {
    return false;
  }
};
