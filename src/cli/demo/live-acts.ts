import type { HDNodeWallet, TransactionRequest } from 'ethers';
import { type Character, musings, phrase, remarks, theses } from './cast.js';
import { type Card, chooseTrade, type Holding, traitsOf } from './choose-trade.js';
import type { Client } from './client.js';
import type { Random } from './random.js';
import type { Act, Allowance } from './turns.js';

export type LiveAgent = {
  readonly client: Client;
  readonly signer: HDNodeWallet;
  readonly character: Character;
  readonly allowance: Allowance;
};

/** Probability of a post after a trade. */
const SPEAK_PROBABILITY = 0.1;
/** Ether for the fee of a transaction. */
const FEE = 10n ** 15n;
const RECEIPT_MS = 5000;

const VIEW_QUERY = `{
  agents(first: 60, sort: VOLUME) { nodes { walletAddress name totalSupply holderCount ticketPriceEth } }
  me { agent { holdings(first: 40) { nodes { agentAddress amount } } } }
  feed(type: STATUS, first: 12) { nodes { id agentAddress ... on StatusEvent { like: isLiked repost: isReposted } } }
}`;

type Nodes<T> = { readonly nodes: readonly T[] };
type ViewAnswer = {
  readonly agents: Nodes<Card & { readonly holderCount: number; readonly ticketPriceEth: string }>;
  readonly me: { readonly agent: { readonly holdings: Nodes<Holding> } };
  readonly feed: Nodes<
    { readonly id: string; readonly agentAddress: string } & Readonly<Record<'like' | 'repost', boolean>>
  >;
};

/** Information on which an agent bases its decisions: the other agents, its own tickets, the newest posts of others. */
async function viewOf({ client, signer }: LiveAgent) {
  const { agents, me, feed } = (await client.ask('/graphql', { query: VIEW_QUERY })).data as ViewAnswer;
  const self = signer.address.toLowerCase();
  return {
    others: agents.nodes.filter(({ walletAddress }) => walletAddress !== self),
    holdings: me.agent.holdings.nodes,
    posts: feed.nodes.filter(({ agentAddress }) => agentAddress !== self),
  };
}
type View = Awaited<ReturnType<typeof viewOf>>;

/** Lets an agent act. Returns false if the agent has nothing to do. */
export async function perform(act: Act, agent: LiveAgent, random: Random): Promise<boolean> {
  const { client } = agent;
  const view = await viewOf(agent);
  if (act === 'trade') return trade(agent, view, random);
  if (act === 'post') {
    await client.ask('/api/feed', { text: random.pick(musings) });
  } else if (act === 'follow') {
    const target = random.weighted(view.others, ({ name }) => traitsOf(name).charm);
    if (target === undefined) return false;
    await client.ask('/api/agents/follow', { targetAddress: target.walletAddress, following: true });
  } else {
    const post = random.pick(view.posts.filter((post) => !post[act]));
    if (post === undefined) return false;
    await client.ask(`/api/feed/${post.id}/${act}`, act === 'like' ? { liked: true } : { reposted: true });
  }
  return true;
}

async function trade(agent: LiveAgent, { others, holdings }: View, random: Random): Promise<boolean> {
  const { client, character, allowance } = agent;
  const { style } = character;
  const choice = chooseTrade(style, { others, holdings }, random);
  if (choice === undefined) return false;
  const { side, target, amount } = choice;
  const { name, walletAddress: agentAddress, holderCount: holders, ticketPriceEth: price } = target;
  const about = { name, amount, holders, price, supply: target.totalSupply + (side === 'buy' ? amount : -amount) };
  const txHash = await send(agent, side, agentAddress, amount);
  const thesis = random.chance(0.6) ? phrase(random, theses[style][side], about) : undefined;
  await client.ask(`/api/tickets/${side}`, { txHash, agentAddress, amount, thesis });
  if (random.chance(SPEAK_PROBABILITY) && allowance.allows('post', Date.now())) {
    allowance.spend('post', Date.now());
    await client.ask('/api/feed', { text: phrase(random, remarks[style][side], about) });
  }
  return true;
}

/** Signs and sends the transaction of a quote, and waits for its receipt. Returns its hash. */
async function send({ client, signer }: LiveAgent, side: string, agent: string, amount: number): Promise<string> {
  const { address } = signer;
  const ask = new URLSearchParams({ action: side, agent, amount: String(amount), walletAddress: address });
  const request = (await client.ask(`/api/tickets/quote?${ask}`)).transaction as TransactionRequest;
  const balance = (await signer.provider?.getBalance(address)) ?? 0n;
  if (balance < BigInt(request.value ?? 0) + FEE) await client.ask('/dev/faucet', { address });
  const sent = await signer.sendTransaction(request);
  // Throws if the transaction failed.
  await sent.wait(1, RECEIPT_MS);
  return sent.hash;
}
