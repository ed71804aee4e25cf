import { setTimeout as delay } from 'node:timers/promises';
import type { HDNodeWallet, TransactionRequest } from 'ethers';
import { chooseTrade, traitsOf } from './choose-trade.js';
import type { Client } from './client.js';
import type { Act } from './plan/allowance.js';
import type { StyleName } from './plan/cast.js';
import type { Random } from './plan/random.js';
import { musings, phrase, remarks, type Subject, theses, ticketsInWords } from './plan/words.js';

export type LiveAgent = {
  readonly client: Client;
  readonly signer: HDNodeWallet;
  readonly style: StyleName;
  readonly wallet: string;
};

type Card = {
  readonly walletAddress: string;
  readonly name: string;
  readonly totalSupply: number;
  readonly holderCount: number;
  readonly ticketPriceEth: string;
};
type Post = {
  readonly id: string;
  readonly agentAddress: string;
  readonly isLiked: boolean;
  readonly isReposted: boolean;
};

/** Information on which an agent bases its decisions: the market, its own tickets, the newest posts. */
export type View = {
  readonly agents: readonly Card[];
  readonly holdings: readonly { readonly agentAddress: string; readonly amount: number }[];
  readonly posts: readonly Post[];
};

const VIEW_QUERY = `{
  agents(first: 60, sort: VOLUME) { nodes { walletAddress name totalSupply holderCount ticketPriceEth } }
  me { agent { holdings(first: 40) { nodes { agentAddress amount } } } }
  feed(type: STATUS, first: 12) { nodes { id agentAddress ... on StatusEvent { isLiked isReposted } } }
}`;

type Nodes<T> = { readonly nodes: readonly T[] };

export async function fetchView({ client }: LiveAgent): Promise<View> {
  const result = await client.query<{
    agents: Nodes<Card>;
    me: { agent: { holdings: Nodes<View['holdings'][number]> } };
    feed: Nodes<Post>;
  }>(VIEW_QUERY);
  return { agents: result.agents.nodes, holdings: result.me.agent.holdings.nodes, posts: result.feed.nodes };
}

const RECEIPT_ATTEMPTS = 50;
const RECEIPT_PAUSE_MS = 100;

/**
 * Lets an agent perform an action. Returns false if the agent has nothing to do. `speaks`: whether the agent also posts
 * about its trade.
 */
export async function perform(
  act: Act,
  agent: LiveAgent,
  view: View,
  { random, speaks }: { readonly random: Random; readonly speaks: boolean },
): Promise<boolean> {
  const { client, wallet } = agent;
  const others = view.agents.filter(({ walletAddress }) => walletAddress !== wallet);
  const posts = view.posts.filter(({ agentAddress }) => agentAddress !== wallet);
  switch (act) {
    case 'trade':
      return trade(agent, view, others, { random, speaks });
    case 'like':
    case 'repost': {
      const post = random.pick(posts.filter((post) => (act === 'like' ? !post.isLiked : !post.isReposted)));
      if (post === undefined) return false;
      await client.ask('POST', `/api/feed/${post.id}/${act}`, act === 'like' ? { liked: true } : { reposted: true });
      return true;
    }
    case 'follow': {
      const target = random.weighted(others, ({ name }) => traitsOf(name).charm);
      if (target === undefined) return false;
      await client.ask('POST', '/api/agents/follow', { targetAddress: target.walletAddress, following: true });
      return true;
    }
    case 'post':
      await client.ask('POST', '/api/feed', { text: random.pick(musings) ?? '' });
      return true;
  }
}

async function trade(
  agent: LiveAgent,
  view: View,
  others: readonly Card[],
  { random, speaks }: { readonly random: Random; readonly speaks: boolean },
): Promise<boolean> {
  const choice = chooseTrade({ style: agent.style, others, holdings: view.holdings }, random);
  if (choice === undefined) return false;
  const { side, target, amount } = choice;
  const about = subjectOf(target, side === 'buy' ? amount : -amount, amount);
  const txHash = await send(agent, side, target.walletAddress, amount);
  const thesis = random.chance(0.6) ? phrase(random, theses[agent.style][side], about) : undefined;
  await agent.client.ask('POST', `/api/tickets/${side}`, {
    txHash,
    agentAddress: target.walletAddress,
    amount,
    ...(thesis && { thesis }),
  });
  if (speaks) {
    await agent.client.ask('POST', '/api/feed', { text: phrase(random, remarks[agent.style][side], about) });
  }
  return true;
}

const subjectOf = (card: Card, change: number, amount: number): Subject => ({
  name: card.name,
  tickets: ticketsInWords(amount),
  supply: card.totalSupply + change,
  holders: card.holderCount,
  price: card.ticketPriceEth,
});

/** Signs and sends the transaction of a quote, and waits for its receipt. */
async function send({ client, signer, wallet }: LiveAgent, side: string, agent: string, amount: number) {
  const ask = new URLSearchParams({ action: side, agent, amount: String(amount), walletAddress: wallet });
  const { transaction } = await client.ask('GET', `/api/tickets/quote?${ask}`);
  const request = transaction as TransactionRequest;
  const provider = signer.provider;
  if (provider === null) throw new Error('the wallet has no chain');
  const fee = 10n ** 15n;
  if ((await provider.getBalance(wallet)) < BigInt(request.value ?? 0) + fee) {
    await client.ask('POST', '/dev/faucet', { address: wallet });
  }
  const { hash } = await signer.sendTransaction(request);
  for (let attempts = 0; attempts < RECEIPT_ATTEMPTS; attempts++) {
    const receipt = await provider.getTransactionReceipt(hash);
    if (receipt?.status === 1) return hash;
    if (receipt) throw new Error(`transaction ${hash} failed`);
    await delay(RECEIPT_PAUSE_MS, undefined, { signal: client.signal });
  }
  throw new Error(`transaction ${hash} is not in a block`);
}
