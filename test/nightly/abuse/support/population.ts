import { randomBytes, randomInt } from 'node:crypto';
import { makeCode } from '../../../../src/features/agents/rules.js';
import { freshIp, success } from '../../../support/market/agents.js';
import { populate } from '../../../support/market/market.js';
import { addListedAgent, addTrade } from '../../../support/market/rows.js';
import type { World } from '../../../support/world.js';
import { Secrets } from './secrets.js';

/** An agent whose key the test has, with the values that no other caller may see. */
export type Member = {
  readonly wallet: string;
  readonly name: string;
  readonly agentId: string;
  readonly key: string;
  readonly code: string;
  readonly registrationIp: Buffer;
};

type Row = { wallet: string; name: string; agent_id: string; code: string; ip: Uint8Array };

/** Agents of a world with trades, follows, posts, notifications and points, and ids that requests can use. */
export class Population {
  readonly members: Member[] = [];
  readonly deleted: Member[] = [];
  /** Wallets of the agents that have tickets on the chain and points. They never delete themselves, so that lists have rows. */
  readonly #founders = new Set<string>();
  readonly secrets = new Secrets();
  posts: readonly string[] = [];
  hashes: readonly string[] = [];
  #trades = 0;

  private constructor(private readonly world: World) {}

  static async create(world: World, size: number): Promise<Population> {
    const population = new Population(world);
    const { ada, bob, eve } = await populate(world);
    const keys = new Map([ada, bob, eve].map(({ wallet, key }) => [wallet, key]));
    for (const row of await population.#rows()) {
      const key = keys.get(row.wallet);
      if (key !== undefined) {
        population.#welcome(row, key);
        population.#founders.add(row.wallet);
      }
    }
    while (population.members.length < size) await population.#grow();
    await population.#write(population.members);
    await population.refresh();
    const { CRON_SECRET, WEBHOOK_SIGNING_KEY } = world.deps.config;
    for (const [what, secrets] of Object.entries({ CRON_SECRET, WEBHOOK_SIGNING_KEY })) {
      for (const secret of secrets ?? []) population.secrets.addService(what, secret);
    }
    return population;
  }

  /** The members that may delete themselves: all except the founders. */
  get others(): Member[] {
    return this.members.filter(({ wallet }) => !this.#founders.has(wallet));
  }

  /** Adds a member with the row that the service stores after a registration on the chain. */
  async #grow(): Promise<void> {
    const given = {
      verificationCode: makeCode(randomInt),
      registrationIp: randomBytes(32),
    };
    const { wallet, key } = await addListedAgent(this.world, given);
    const [row] = await this.#rows(wallet);
    if (row !== undefined) this.#welcome(row, key);
  }

  #welcome({ wallet, name, agent_id: agentId, code, ip }: Row, key: string): void {
    const member = { wallet, name, agentId, key, code, registrationIp: Buffer.from(ip) };
    this.members.push(member);
    this.secrets.add(member);
  }

  /** Lets each member post, follow, like and trade, so that every list has rows and every agent has notifications. */
  async #write(members: readonly Member[]): Promise<void> {
    for (const [i, member] of members.entries()) {
      const next = members[(i + 1) % members.length] as Member;
      const ask = (path: string, body: unknown) => this.world.ask('POST', path, { key: member.key, body, headers: freshIp() });
      const { post } = (await ask('/api/feed', { text: `Post of ${member.name}` })).body as { post?: { id: string } };
      await ask('/api/agents/follow', { targetAddress: next.wallet, following: true });
      if (post === undefined) continue;
      const liking = { key: next.key, body: { liked: true }, headers: freshIp() };
      await this.world.ask('POST', `/api/feed/${post.id}/like`, liking);
      // Logs in the blocks of the real chain have lower log indexes, so the keys of the trades do not collide.
      const logIndex = 1000 + this.#trades++;
      await addTrade(this.world, { trader: member.wallet, agent: next.wallet, logIndex });
    }
  }

  /** Reads the ids that exist now, and registers a new member for each deleted member. */
  async refresh(): Promise<void> {
    const { sql } = this.world.deps;
    const size = this.members.length;
    const left = new Set((await this.#rows()).map(({ wallet }) => wallet));
    this.deleted.push(...this.members.filter(({ wallet }) => !left.has(wallet)));
    this.members.splice(0, size, ...this.members.filter(({ wallet }) => left.has(wallet)));
    const before = this.members.length;
    while (this.members.length < size) await this.#grow();
    await this.#write(this.members.slice(before));
    const ids = await sql<{ id: string }>('select id from agent_activity order by id limit 200');
    this.posts = ids.map(({ id }) => id);
    const hashes = await sql<{ hash: string }>('select distinct tx_hash as hash from "transaction" limit 200');
    this.hashes = hashes.map(({ hash }) => hash);
  }

  /** Deletes a member over the API. Its key then belongs to a deleted agent, and requests can try it. */
  async remove(member: Member): Promise<void> {
    success(await this.world.ask('DELETE', '/api/agents/me', { key: member.key, headers: freshIp() }));
    await this.refresh();
  }

  #rows(wallet?: string): Promise<Row[]> {
    const text = `select wallet, name, agent_id, verification_code as code, registration_ip as ip from agent`;
    const { sql } = this.world.deps;
    return wallet === undefined ? sql<Row>(text) : sql<Row>(`${text} where wallet = $1`, [wallet]);
  }
}
