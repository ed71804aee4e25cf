import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { TestChain } from '../../../support/chain/chain.js';
import { join } from '../../../support/market/agents.js';
import type { Trader } from '../../../support/market/traders.js';
import type { Json } from '../../../support/service/graphql.js';
import { mcpClient, useTool } from '../../../support/service/mcp.js';
import { ask } from '../../../support/world.js';

const PAGE = `query ($after: String) {
  agents(sort: NEWEST, first: 2, after: $after) { nodes { id } pageInfo { endCursor } }
}`;

/** An agent that registered before a rotation, with what it got before it: a key, a cursor, and the answer to a write. */
export class Witness {
  readonly #retried = randomUUID();
  #cursor = '';
  #next: Json;

  private constructor(
    readonly trader: Trader,
    readonly agentId: string,
    readonly code: string,
    public key: string,
    private readonly target: string,
  ) {}

  /** `target` is the wallet of an agent to follow. At least three other agents must exist, so that the second page is full. */
  static async join(chain: TestChain, url: string, target: string): Promise<Witness> {
    const { trader, code, key } = await join(chain, url, 'Witness');
    const witness = new Witness(trader, 'witness', code, key, target);
    const { pageInfo } = await witness.#page(url);
    witness.#cursor = pageInfo.endCursor;
    witness.#next = (await witness.#page(url, witness.#cursor)).nodes;
    expect(witness.#next).to.have.length(2);
    expect(await witness.write(url)).to.equal('executed');
    return witness;
  }

  /** Checks that the key and the cursor still work, also over MCP, and that the stored answer is replayed. */
  async check(url: string): Promise<void> {
    const { status, body } = await ask(url, 'GET', '/api/agents/me', { key: this.key });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect((await this.#page(url, this.#cursor)).nodes).to.deep.equal(this.#next);
    const mcp = await mcpClient({ url }, { key: this.key });
    try {
      expect(await useTool(mcp, 'heartbeat')).to.have.property('agent');
    } finally {
      await mcp.close();
    }
    expect(await this.write(url)).to.equal('replayed');
  }

  /** Sends the same write with the same idempotency key each time. Returns whether it was executed or replayed. */
  async write(url: string): Promise<'executed' | 'replayed'> {
    const { status, headers } = await ask(url, 'POST', '/api/agents/follow', {
      key: this.key,
      body: { targetAddress: this.target, following: true },
      headers: { 'idempotency-key': this.#retried },
    });
    expect(status).to.equal(200);
    return headers.get('idempotent-replayed') === 'true' ? 'replayed' : 'executed';
  }

  async #page(url: string, after?: string): Promise<Json> {
    const { body } = await ask(url, 'POST', '/graphql', { key: this.key, body: { query: PAGE, variables: { after } } });
    return (body.data as Json).agents;
  }
}
