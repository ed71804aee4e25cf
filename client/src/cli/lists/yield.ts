import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Agent, Curvet } from '../../curvet.js';
import { CurvetError } from '../../errors.js';
import { toEth } from '../../signing/ether.js';
import { keccak256 } from '../../signing/keccak.js';
import { Rpc } from '../../signing/rpc.js';
import { type Call, type Command, type Output, text } from '../command.js';
import { MAX_LAG_BLOCKS } from '../doctor.js';
import { UsageError } from '../exit-codes.js';
import { line } from '../reading-commands.js';

/** The spans that ERC-8004 names for `tradingYield`, as periods of the service. A year is the last 12 whole months. */
const SPANS = {
  day: { period: 'day', count: 1 },
  week: { period: 'week', count: 1 },
  month: { period: 'month', count: 1 },
  year: { period: 'month', count: 12 },
} as const;
type Span = keyof typeof SPANS;
const spans = Object.keys(SPANS) as Span[];

/** The identity registries of the standard's authors: on main networks, and on test networks. */
const REGISTRIES = ['0x8004a169fb4a3325136eb29fa0ceb6d2e539a432', '0x8004a818bfb912233c491871b3d84c89a494bd9e'];

const EXAMPLE = 'curvet yield scout --client 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';

export const yieldFiles: Command = {
  usage: '<agent> --client ADDRESS',
  summary: 'writes feedback files of ERC-8004 with the trading yield of an agent, for the operator to submit',
  args: [1, 1],
  options: {
    client: { type: 'string', value: 'ADDRESS', summary: 'wallet that will submit the feedback' },
    span: { type: 'string', value: 'SPAN', summary: `${spans.join(', ')}: the last whole one, in UTC (default all four)` },
    out: { type: 'string', value: 'DIRECTORY', summary: 'directory of the files (default the current one)' },
    registry: {
      type: 'string',
      value: 'ADDRESS',
      summary: 'identity registry to trust, if it is another than that of the standard',
    },
    rpc: { type: 'string', value: 'URL', summary: 'RPC of the chain of the identity (default that of the market)' },
  },
  examples: [EXAMPLE, `${EXAMPLE} --span month --out feedback`],
  async run(call): Promise<Output> {
    const { session, args, values, dryRun } = call;
    const client = text(values.client)?.toLowerCase() ?? '';
    if (!/^0x[0-9a-f]{40}$/.test(client))
      throw new UsageError('--client is the address of the wallet that will submit the feedback');
    const wanted = values.span === undefined ? spans : spans.filter((span) => span === values.span);
    if (wanted.length === 0) throw new UsageError(`--span is one of ${spans.join(', ')}`);
    const curvet = await session.reader();
    const agent = await namedAgent(curvet, args[0] ?? '');
    const { walletAddress } = agent;
    if (client === walletAddress) throw new UsageError('an agent cannot submit feedback about itself: --client is another wallet');
    const identity = await provenIdentity(call, curvet, agent);
    await checkIndex(curvet);
    const url = await publicUrl(curvet);
    const { total: possiblyLinked } = await curvet.agents.links(walletAddress, { limit: 1 }).page();
    const files: Feedback[] = [];
    for (const span of wanted) {
      const figures = await figuresOf(call, curvet, walletAddress, span);
      if (figures === null) continue;
      const { value, ...others } = figures;
      // The only time in the file is the end of the span, so that anybody can write the same file again and compare the hash.
      const feedback = {
        ...identity,
        clientAddress: `${identity.agentRegistry.replace(/:0x.*/, '')}:${client}`,
        createdAt: figures.end,
        value,
        valueDecimals: 2,
        tag1: 'tradingYield',
        tag2: span,
        endpoint: `${url}/api/agents/${walletAddress}`,
        curvet: { walletAddress, ...others },
      } as const;
      const content = `${JSON.stringify(feedback, null, 2)}\n`;
      const feedbackHash = keccak256(`0x${Buffer.from(content).toString('hex')}`);
      // The name contains the hash, so a file replaces no other one. It contains no free text of the service, which could name a path.
      const name = [walletAddress, span, figures.end.slice(0, 10), feedbackHash.slice(2, 10)].join('-');
      files.push({ file: join(text(values.out) ?? '.', `${name}.json`), feedbackHash, feedback, content });
    }
    // Everything has been read before the first file is written, so a refused request leaves none behind.
    for (const { file, content } of dryRun ? [] : files) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    const lines = [line(`${agent.name} (${agent.agentId})`, walletAddress), ...files.flatMap(linesOf)];
    if (files.length === 0) lines.push(`In no whole span, ${toEth(MIN_CAPITAL)} ETH were at work, so there is no yield.`);
    if (dryRun) lines.push('Dry run: nothing was written.');
    if (possiblyLinked > 0)
      lines.push(`Look before you submit: ${possiblyLinked} possibly linked wallets, ${url}/links/${walletAddress}`);
    const data = { dryRun, files: files.map(({ content: _, ...file }) => file), possiblyLinked };
    return { data, text: lines.join('\n') };
  },
};

const untrusted = (message: string, hint = 'Nothing was written. Check the service.'): CurvetError =>
  new CurvetError('UNTRUSTED_ANSWER', message, { hint });

/** The agent of a wallet address, agentId or name. Throws if the service answers with another one. */
async function namedAgent(curvet: Curvet, reference: string): Promise<Agent> {
  const agent = await curvet.agents.get(reference);
  const [wanted, { walletAddress, agentId }] = [reference.toLowerCase(), agent];
  const isMeant = wanted === walletAddress || wanted.replaceAll(' ', '_') === agentId;
  if (isMeant && /^0x[0-9a-f]{40}$/.test(walletAddress)) return agent;
  throw untrusted(`the service answers with the agent ${agentId}, ${walletAddress}`);
}

/** The public URL of the service, in a form that has no quotes or line breaks. */
async function publicUrl(curvet: Curvet): Promise<string> {
  const { url } = await curvet.request('GET /api', {});
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return new URL(url).href.replace(/\/$/, '');
  throw untrusted('the service has no public URL');
}

type Identity = { readonly agentRegistry: string; readonly agentId: number };

/**
 * The identity that the agent names, if a trusted registry names the wallet of the agent in return. An agent can name any identity in
 * any registry, so the feedback could otherwise reach somebody else.
 */
async function provenIdentity({ session, values }: Call, curvet: Curvet, { identity, walletAddress }: Agent): Promise<Identity> {
  const [, agentRegistry = '', chain, registry = '', id = ''] =
    /^(eip155:(\d+):(0x[0-9a-f]{40})):(\d{1,15})$/.exec(identity ?? '') ?? [];
  if (chain === undefined) throw new UsageError('the agent names no identity of ERC-8004. It sets `identity` in its profile');
  const trusted = text(values.registry)?.toLowerCase();
  if (trusted === undefined ? !REGISTRIES.includes(registry) : trusted !== registry) {
    const hint = 'Nothing was written. If you trust this registry, name it with --registry.';
    throw untrusted(`the agent names an identity in the registry ${registry}`, hint);
  }
  const rpcUrl = text(values.rpc) ?? session.io.env.CURVET_RPC_URL ?? (await curvet.market.contract()).rpcUrl;
  if (!rpcUrl) throw new UsageError(`the service names no RPC: give --rpc, an RPC of chain ${chain}`);
  const rpc = new Rpc(rpcUrl, fetch, session.io.clock);
  const actual = await rpc.chainId();
  if (String(actual) !== chain) throw new UsageError(`the RPC is on chain ${actual}: give --rpc, an RPC of chain ${chain}`);
  // getAgentWallet(uint256): the wallet that registered the identity, or one that has signed setAgentWallet since.
  const data = `0x00339509${BigInt(id).toString(16).padStart(64, '0')}`;
  const wallet = await rpc.read(registry, data).then(
    (answer) => `0x${answer.slice(26)}`.toLowerCase(),
    (error: CurvetError) => {
      if (error.code === 'TRADE_REVERTED') return 'none';
      throw error;
    },
  );
  if (wallet !== walletAddress) {
    const hint = 'Nothing was written. The owner of the identity gives it the wallet of the agent, with setAgentWallet.';
    throw untrusted(`wallet of identity ${id} in the registry: ${wallet}, not ${walletAddress}`, hint);
  }
  return { agentRegistry, agentId: Number(id) };
}

/** Time after the end of a period in which its last blocks are indexed. */
const SETTLED_MS = 3_600_000;

/** Throws if the index could lack blocks that are older than `SETTLED_MS`. */
async function checkIndex(curvet: Curvet): Promise<void> {
  const { index } = await curvet.request('GET /ready', {});
  if (index.state === 'ok' && (index.lagBlocks ?? 0) < MAX_LAG_BLOCKS) return;
  const message = `the index is ${index.lagBlocks ?? 'some'} blocks behind the chain, so figures may be incomplete`;
  throw new CurvetError('CONNECTION', message, { hint: 'Run the command again later.' });
}

type Figures = {
  /** The yield in hundredths of a percent. */
  readonly value: number;
  readonly start: string;
  readonly end: string;
  readonly profitWei: string;
  readonly capitalWei: string;
  readonly trades: number;
};

/** Minimum capital, in wei: that of a call of a thesis. With less, a yield says nothing. */
const MIN_CAPITAL = 10n ** 15n;

/**
 * The yield of the last whole span: the profit from trading, without fees that the agent earned, by the largest capital that was at
 * work. null if that was too little.
 */
async function figuresOf({ session }: Call, curvet: Curvet, wallet: string, span: Span): Promise<Figures | null> {
  const { period: unit, count } = SPANS[span];
  // The running period, which the clock of the service decides, one that has just ended, and those of the span.
  const limit = count + 2;
  const [, ...ended] = await curvet.agents.pnlPeriods(wallet, { period: unit, limit }).take(limit);
  const periods = ended
    .filter(({ end }) => Date.parse(end) + SETTLED_MS <= session.io.clock.now())
    .slice(0, count)
    .reverse();
  let [value, spent, profit, capital, trades] = [0n, 0n, 0n, 0n, 0];
  for (const period of periods) {
    if (period.capitalWei === undefined)
      throw new CurvetError('INVALID_ANSWER', 'the periods have no capital', { hint: 'Update the service.' });
    // The capital of a period contains the value at its start. For the span, this is replaced by what was spent before the period.
    const atWork = BigInt(period.capitalWei) - value + spent;
    if (atWork > capital) capital = atWork;
    const gained = BigInt(period.realizedWei) + BigInt(period.unrealizedWei);
    // For the first period, this also adds the value at the start of the span.
    spent += BigInt(period.valueAtEndWei) - value - gained;
    value = BigInt(period.valueAtEndWei);
    profit += gained;
    trades += period.trades;
  }
  const [oldest, last] = [periods[0], periods.at(-1)];
  if (!oldest || !last || capital < MIN_CAPITAL) return null;
  const hundredths = Number((profit * 10_000n) / capital);
  const [start, end] = [oldest.start, last.end].map((time) => new Date(time).toISOString()) as [string, string];
  return { value: hundredths, start, end, profitWei: String(profit), capitalWei: String(capital), trades };
}

type Feedback = {
  readonly file: string;
  readonly content: string;
  readonly feedbackHash: string;
  readonly feedback: Identity &
    Readonly<Record<'tag1' | 'tag2' | 'endpoint', string>> &
    Readonly<Record<'value' | 'valueDecimals', number>> & { readonly curvet: Omit<Figures, 'value'> };
};

function linesOf({ file, feedbackHash, feedback }: Feedback): string[] {
  const { agentId, value, valueDecimals, tag1, tag2, endpoint, curvet } = feedback;
  const eth = (wei: string) => `${toEth(BigInt(wei))} ETH`;
  const days = `${curvet.start.slice(0, 10)} to ${curvet.end.slice(0, 10)}`;
  return [
    `${tag2.padEnd(5)}  ${(value / 100).toFixed(2)} %  ${eth(curvet.profitWei)} on ${eth(curvet.capitalWei)}, ${days}`,
    `       ${file}`,
    `       giveFeedback(${agentId}, ${value}, ${valueDecimals}, "${tag1}", "${tag2}", "${endpoint}", "URL of the file", ${feedbackHash})`,
  ];
}
