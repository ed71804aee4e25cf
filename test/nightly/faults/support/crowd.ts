import { setTimeout as sleep } from 'node:timers/promises';
import type { TestChain } from '../../../support/chain/chain.js';
import { join } from '../../../support/market/agents.js';
import { newTrader, type Trader } from '../../../support/market/traders.js';
import { seeded } from '../../../support/seed.js';

/** The answer to one write. The status is 0 if the request timed out or its connection failed. */
export type Reply = {
  readonly what: string;
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: string | null;
  readonly body: Record<string, unknown>;
};

type Member = { readonly trader: Trader; readonly name: string; readonly key: string };

/** Timeout of a write. It is longer than the service may take for a request, so only a service that hangs exceeds it. */
const GIVES_UP_MS = 20_000;

/** The records whose writes were confirmed and must therefore be stored. */
export type Promised = { readonly agents: string[]; readonly posts: string[]; readonly trades: string[] };

/** Agents that write in a loop until they are stopped. Each writes to one replica. */
export class Crowd {
  readonly replies: Reply[] = [];
  readonly promised: Promised = { agents: [], posts: [], trades: [] };
  #stopping = false;
  #loops: Promise<void>[] = [];
  readonly #posts: string[] = [];

  private constructor(
    private readonly chain: TestChain,
    private readonly members: readonly Member[],
    private readonly seed: number,
  ) {}

  /** Registers the agents on the chain and at the replica with this URL. */
  static async gather(chain: TestChain, url: string, size: number, seed: number): Promise<Crowd> {
    const members: Member[] = [];
    const crowd = new Crowd(chain, members, seed);
    for (let i = 0; i < size; i++) {
      const name = `W ${seed % 1000} ${i}`;
      const { trader, key } = await join(chain, url, name);
      crowd.promised.agents.push(trader.wallet);
      members.push({ trader, name, key });
    }
    return crowd;
  }

  /** Starts all members. Member `i` writes to replica `i` modulo the number of replicas. */
  start(urls: readonly string[]): void {
    this.#loops = this.members.map((member, i) => this.#write(member, i, urls[i % urls.length] as string));
  }

  /** Stops the writes, and waits for outstanding answers. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#loops);
  }

  async #write(member: Member, number: number, url: string): Promise<void> {
    const random = seeded(this.seed * 1000 + number);
    for (let i = 0; !this.#stopping; i++) {
      const reply = await this.#act(member, url, Math.floor(random() * 40), `${number} ${i}`);
      // A refused member pauses briefly. Without the pause, the service would refuse most requests.
      if (reply.status !== 200 && reply.status !== 201) await sleep(50 + random() * 100);
    }
  }

  /**
   * Makes one write. `dice` is from 0 to 39 and chooses it: 0 registers another agent, 1 and 2 buy, 3 to 15 post, 16 to 23 like a
   * post if there is one, the others up to 30 post over GraphQL, and the rest follow.
   */
  async #act({ trader, key }: Member, url: string, dice: number, label: string): Promise<Reply> {
    const other = this.members[(dice * 31 + label.length * 7 + this.replies.length) % this.members.length] as Member;
    if (dice === 0) {
      const wallet = await newTrader(this.chain);
      const name = `N${this.seed % 1000}-${label.replace(' ', '-')}`.slice(0, 15);
      await wallet.register(name);
      const reply = await this.#ask('register', url, '/api/agents', { name, walletAddress: wallet.wallet });
      if (reply.status === 201) this.promised.agents.push(wallet.wallet);
      return reply;
    }
    if (dice <= 2) {
      // The purchase fails if another member raises the price after the quote. The member then posts instead.
      const { hash } = await trader.buy(other.trader.wallet, 1).catch(() => ({ hash: undefined }));
      if (hash === undefined) return this.#act({ trader, key, name: '' }, url, 3, label);
      const body = { txHash: hash, agentAddress: other.trader.wallet, amount: 1, thesis: `Bought ${label}` };
      const reply = await this.#ask('buy', url, '/api/tickets/buy', body, key);
      if (reply.status === 201) this.promised.trades.push(hash);
      return reply;
    }
    if (dice <= 15) {
      const reply = await this.#ask('post', url, '/api/feed', { text: `Post ${this.seed} ${label}` }, key);
      const id = (reply.body.post as { id?: string } | undefined)?.id;
      if (reply.status === 201 && id !== undefined) {
        this.promised.posts.push(id);
        this.#posts.push(id);
      }
      return reply;
    }
    const post = this.#posts.at(-1 - (label.length % 5));
    if (dice <= 23 && post) return this.#ask('like', url, `/api/feed/${post}/like`, {}, key);
    if (dice <= 30) {
      const query = 'mutation ($text: String!) { post(text: $text) { id } }';
      const body = { query, variables: { text: `Mutation ${this.seed} ${label}` } };
      const reply = await this.#ask('mutation', url, '/graphql', body, key);
      const id = (reply.body.data as { post?: { id?: string } } | null | undefined)?.post?.id;
      if (id !== undefined) this.promised.posts.push(id);
      return reply;
    }
    return this.#ask('follow', url, '/api/agents/follow', { targetAddress: other.trader.wallet }, key);
  }

  async #ask(what: string, url: string, path: string, body: unknown, key?: string): Promise<Reply> {
    const begun = performance.now();
    const reply = await send(url + path, body, key);
    const whole = { what, ms: performance.now() - begun, ...reply };
    this.replies.push(whole);
    return whole;
  }
}

async function send(url: string, body: unknown, key?: string): Promise<Omit<Reply, 'what' | 'ms'>> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'x-api-key': key }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(GIVES_UP_MS),
    });
    const { status } = response;
    return { status, retryAfter: response.headers.get('retry-after'), body: (await response.json()) as Reply['body'] };
  } catch (error) {
    return { status: 0, retryAfter: null, body: { error: String(error), cause: String((error as Error).cause) } };
  }
}
