import { type Answer, Curvet, type CurvetError } from '../curvet.js';
import { timeoutOf } from '../http/clock.js';
import { checkUrl } from '../http/service-url.js';
import { DEFAULT_DEADLINE_SECONDS } from '../signing/connection.js';
import { toEth, toWei } from '../signing/ether.js';
import { readJournal } from '../signing/file-journal.js';
import { type Entry, isPending } from '../signing/journal.js';
import { spentToday } from '../signing/limits.js';
import { Rpc } from '../signing/rpc.js';
import type { Command } from './command.js';
import type { Session } from './session.js';

type Finding = { readonly check: string; readonly state: 'ok' | 'problem' | 'skipped'; readonly detail: string };
/** Facts that earlier checks found and later checks need. */
type Facts = {
  wallet?: string;
  contract?: Pick<Answer<'GET /api/contract'>, 'chainId' | 'contractAddress' | 'rpcUrl' | 'overloads'>;
};
type Check = (session: Session, facts: Facts, curvet: Curvet) => Promise<string>;

/** A smaller lag of the index is normal: it reads a block after some confirmations. */
export const MAX_LAG_BLOCKS = 50;

class Problem extends Error {}
/** Thrown by a check that lacks what it needs, such as a wallet. An earlier check has reported why. */
class Skipped extends Error {}

function need(holds: boolean, message: string): void {
  if (!holds) throw new Problem(message);
}

/**
 * The checks that find out why an agent cannot trade, in the order in which they run. Each returns a text that says what it found,
 * or throws a `Problem` that says what to do.
 */
const checks: Readonly<Record<string, Check>> = {
  async service(session, facts, curvet) {
    const { clock } = session.io;
    const started = clock.now();
    const { chainId, contractAddress, rpcUrl, overloads } = await curvet.market.contract();
    facts.contract = { chainId, contractAddress, rpcUrl, overloads };
    const answered = clock.now() - started;
    const url = await session.url();
    await checkUrl(curvet, url);
    return `${url} answers in ${answered} ms`;
  },
  async index(_session, _facts, curvet) {
    const { index, chain, database } = await curvet.request('GET /ready', {});
    for (const [name, part] of Object.entries({ database, chain, index })) {
      need(part.state === 'ok', `the ${name} of the service is down: ${part.detail ?? ''}. Wait, or tell the operator.`);
    }
    need((index.lagBlocks ?? 0) < MAX_LAG_BLOCKS, `the index is ${index.lagBlocks} blocks behind. Trades appear later.`);
    return `${index.lagBlocks ?? 0} blocks behind the chain`;
  },
  async wallet(session, facts) {
    facts.wallet = (await session.wallet()).address.toLowerCase();
    return facts.wallet;
  },
  async key(session, facts) {
    const { agent } = await (await session.agent()).me.get();
    need(
      agent.walletAddress === (facts.wallet ?? agent.walletAddress),
      `the key belongs to ${agent.walletAddress}, not to the wallet`,
    );
    return `key of ${agent.agentId}`;
  },
  async registration(_session, { wallet }, curvet) {
    if (wallet === undefined) throw new Skipped('there is no wallet');
    const { name, status } = await curvet.agents.get(wallet);
    return `${name}, ${status}`;
  },
  async contract(session, { contract }) {
    const limits = (await session.home.settings())?.limits;
    need(limits !== undefined, 'there are no spending limits. Run: curvet wallet new, or curvet wallet import');
    if (!contract || !limits) throw new Skipped('the service does not answer');
    const { chainId, contractAddress } = contract;
    const same = chainId === limits.chainId && contractAddress === limits.contract.toLowerCase();
    need(
      same,
      `the service names ${contractAddress} on chain ${chainId}, the limits allow ${limits.contract} on chain ${limits.chainId}`,
    );
    return `${contractAddress} on chain ${chainId}`;
  },
  async gas(session, { wallet, contract }) {
    const url = session.io.env.CURVET_RPC_URL ?? contract?.rpcUrl;
    if (wallet === undefined || !contract) throw new Skipped('there is no wallet, or no service');
    need(Boolean(url), 'the service names no RPC. Set CURVET_RPC_URL.');
    const rpc = new Rpc(url as string, globalThis.fetch, session.io.clock);
    const [chainId, balance, { maxFeePerGas }] = await Promise.all([rpc.chainId(), rpc.balance(wallet), rpc.fees()]);
    need(chainId === contract.chainId, `the RPC is on chain ${chainId}. Set CURVET_RPC_URL.`);
    // 200,000 is the gas limit of the transactions that the service quotes.
    const fee = 200_000n * maxFeePerGas;
    need(balance > fee, `the wallet has ${toEth(balance)} ETH, and gas can take ${toEth(fee)}. Send ether to ${wallet}.`);
    const limit = (await session.home.settings())?.limits.gas;
    need(
      limit === undefined || fee <= toWei(limit),
      `gas can take ${toEth(fee)} ETH now, and the limit is ${limit} ETH. Wait, or raise limits.gas in ${session.home.settingsPath}.`,
    );
    return `${toEth(balance)} ETH; a trade takes at most ${toEth(fee)} of gas`;
  },
  async limits(session) {
    const limits = (await session.home.settings())?.limits;
    if (!limits) throw new Skipped('there are none');
    const spent = spentToday(await readJournal(session.home.journalPath), session.io.clock.now());
    need(spent < toWei(limits.perDay), `the ${limits.perDay} ETH of this day are spent`);
    return `${toEth(toWei(limits.perDay) - spent)} of ${limits.perDay} ETH left today, at most ${limits.perTrade} per trade`;
  },
  async deadline(session, { wallet, contract }) {
    const entries = await readJournal(session.home.journalPath);
    const waiting = entries.find((entry) => isPending(entry) && entry.wallet === wallet);
    if (waiting) throw new Problem(waitingText(waiting, session.io.clock.now()));
    if (!contract) throw new Skipped('the service does not answer');
    return contract.overloads
      ? `a trade must be mined within ${DEFAULT_DEADLINE_SECONDS} s, or within --deadline; later, the contract refuses it`
      : 'the contract was deployed before trades could expire: a signed trade stays valid until it is mined';
  },
  async clock(session) {
    const signal = AbortSignal.timeout(timeoutOf(session.io.clock, 10_000));
    const response = await fetch(`${await session.url()}/health`, { signal });
    const seconds = Math.round((session.io.clock.now() - Date.parse(response.headers.get('date') ?? '')) / 1000);
    need(
      // Not `<= 60`: without a date in the answer, `seconds` is NaN, and the check passes.
      !(Math.abs(seconds) > 60),
      `the clock differs by ${seconds} s from the service's. Signatures and deadlines of trades would be refused.`,
    );
    return Number.isNaN(seconds) ? 'unknown' : `differs by ${Math.abs(seconds)} s`;
  },
};

/** Describes a transaction that is signed, but not known to be mined: whether it has expired, and how to continue it. */
function waitingText({ kind, terms, deadline }: Entry, now: number): string {
  const isExpired = deadline !== undefined && deadline * 1000 < now;
  const time = deadline === undefined ? 'does not expire' : new Date(deadline * 1000).toISOString();
  const state = deadline === undefined ? time : isExpired ? `expired at ${time}` : `expires at ${time}`;
  const advice = isExpired ? 'Run it again: if it was not mined, it trades at the price of now' : 'Run it again';
  return `a ${kind} is signed and not finished. It ${state}. ${advice}: ${terms}`;
}

/**
 * Advice for the statuses 429 and 503. They do not mean that the agent is wrong: the service is overloaded, or limits this address.
 */
const loadText = ({ status, retryAfter }: CurvetError): string =>
  status === 429 || status === 503
    ? ` The service has too much load, or limits yours: wait ${retryAfter ?? 'some'} seconds, then run doctor again.`
    : '';

async function examine(check: string, run: () => Promise<string>): Promise<Finding> {
  try {
    return { check, state: 'ok', detail: await run() };
  } catch (error) {
    const { message, hint = '' } = error as CurvetError;
    return {
      check,
      state: error instanceof Skipped ? 'skipped' : 'problem',
      detail: `${message}${hint ? `. ${hint}` : ''}${loadText(error as CurvetError)}`,
    };
  }
}

export const doctor: Command = {
  usage: '',
  summary: 'says why the agent cannot trade: service and its load, key, wallet, gas, registration, index, limits, deadlines',
  args: [0, 0],
  examples: ['curvet doctor'],
  async run({ session }) {
    const curvet = new Curvet({ baseUrl: await session.url(), retries: 1, clock: session.io.clock });
    const facts: Facts = {};
    const findings: Finding[] = [];
    for (const [name, check] of Object.entries(checks)) findings.push(await examine(name, () => check(session, facts, curvet)));
    const bad = findings.some(({ state }) => state === 'problem');
    const lines = findings.map(({ check, state, detail }) => `${state.padEnd(8)} ${check.padEnd(13)} ${detail}`);
    return { data: { canTrade: !bad, findings }, text: lines.join('\n'), exit: bad ? 'problem' : 'ok' };
  },
};
