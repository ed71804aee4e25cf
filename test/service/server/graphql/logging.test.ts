import { once } from 'node:events';
import { expect } from 'chai';
import { freshIp } from '../../../support/market/agents.js';
import { addListedAgent } from '../../../support/market/rows.js';
import { replacing } from '../../../support/parts.js';
import { query } from '../../../support/service/graphql.js';
import { overStream, talk } from '../../../support/service/live.js';
import { callTool, mcpClient } from '../../../support/service/mcp.js';
import { useWorld } from '../../../support/world.js';

const MARK = 'written-by-the-caller';
const SUBSCRIPTION = 'subscription ($a: ID) { trade(agent: $a) { trade { id } } }';
const LONG = `${MARK}-${'x'.repeat(15_000)}`;
/** The maximum length of one log line. */
const MOST = 3000;

describe('the log of invalid requests', () => {
  const world = useWorld({ RATE_LIMITS: 'off', TRUST_PROXY: '1' });

  /** The log lines that `work` writes. */
  async function logging(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
    const before = world.logged.length;
    await work();
    return world.logged.slice(before);
  }
  /** Expects short lines, at most at level info, and without the text of the caller. */
  const holdToRule = (lines: readonly Record<string, unknown>[]) => {
    expect(lines.filter(({ level }) => Number(level) > 30)).to.deep.equal([]);
    for (const line of lines) {
      const text = JSON.stringify(line);
      expect(text.includes(MARK), text.slice(0, 300)).to.equal(false);
      expect(text.length).to.be.below(MOST);
    }
  };

  const wrong: readonly (readonly [what: string, text: string, variables?: Record<string, unknown>])[] = [
    ['a variable of another type', 'query ($n: Int!) { agents(first: $n) { nodes { id } } }', { n: LONG }],
    ['an unknown enum value', 'query ($t: FeedType) { feed(type: $t) { nodes { id } } }', { t: LONG }],
    ['an invalid address in a variable', 'query ($a: Address!) { trades(agent: $a) { nodes { id } } }', { a: LONG }],
    ['null for a non-null argument', 'query ($n: Int = 1) { agents(first: $n) { nodes { id } } }', { n: null }],
    ['an unknown field', `{ agents { nodes { ${MARK.replaceAll('-', '_')} } } }`],
    ['a wrong literal', `{ agents(first: "${LONG}") { nodes { id } } }`],
    ['an invalid scalar literal', `{ trades(agent: "${LONG}") { nodes { id } } }`],
    ['a syntax error', `{ agents(first: "${MARK}`],
    ['a wrong type in a subscription', SUBSCRIPTION, { a: { x: LONG } }],
    ['an unknown agent in a subscription', SUBSCRIPTION, { a: LONG }],
    ['an invalid cursor', 'query ($c: String) { agents(after: $c) { nodes { id } } }', { c: LONG }],
  ];

  for (const [what, text, variables] of wrong) {
    it(`contains no error and no input value after ${what}, over any transport`, async () => {
      const lines = await logging(async () => {
        // The first request parses and validates the document. The second one takes it from the cache, and must log as little.
        for (let i = 0; i < 2; i++) {
          const { errors } = await query(world, text, { variables });
          expect(errors).to.not.deep.equal([]);
          expect(errors.map(({ extensions }) => extensions.code)).to.not.include('INTERNAL');
        }
        const search = new URLSearchParams({ query: text, variables: JSON.stringify(variables ?? {}) });
        // A longer URL would exceed the 16 KB that Node.js accepts as the head of a request.
        if (String(search).length < 15_000) {
          await world.ask('GET', `/graphql?${search}`, { headers: { 'apollo-require-preflight': 'true' } });
        }
        await overStream(world.url, text, { headers: freshIp(), variables });
        const { socket } = await talk(world.url);
        socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: text, variables } }));
        const [answer] = await once(socket, 'message');
        expect(String(answer)).to.match(/"errors"|"type":"error"/);
        socket.terminate();
      });
      expect(lines.length).to.be.at.least(3);
      holdToRule(lines);
    });
  }

  it('contains no error and no input value after malformed JSON or a malformed request', async () => {
    const lines = await logging(async () => {
      for (const path of ['/graphql', '/api/agents']) {
        for (const body of [`{"${MARK}`, `["${MARK}"]`, JSON.stringify({ query: [LONG.slice(0, 5000)] })]) {
          expect((await world.ask('POST', path, { body, headers: freshIp() })).status).to.equal(400);
        }
      }
      await world.ask('GET', `/api/agents?sort=${MARK}&page=${MARK}`, { headers: freshIp() });
      await world.ask('GET', `/graphql?query=x&variables=${MARK}`, { headers: freshIp() });
    });
    expect(lines.length).to.be.at.least(8);
    holdToRule(lines);
  });

  it('contains one short line with the cause of an internal error, which no API shows', async () => {
    const agent = await addListedAgent(world);
    const { chain } = world.deps;
    const fault = Object.assign(new Error(`insert into t values ('${LONG}') - the reason of the database`), {
      code: '22007',
      query: LONG,
      detail: LONG,
      params: [LONG],
    });
    const broken = () => Promise.reject(fault);
    await replacing(world, { chain: { ...chain, feeSplit: broken } }, async () => {
      for (const ask of [
        () => world.ask('GET', `/api/price?agent=${agent.wallet}`, { headers: freshIp() }),
        () => query(world, `{ ${'a'.repeat(5000)}: price(agent: "${agent.wallet}") { price } }`),
        async () => callTool(await mcpClient(world), 'get_price', { agent: agent.wallet }),
      ]) {
        let answer: unknown;
        const lines = await logging(async () => {
          answer = await ask();
        });
        expect(JSON.stringify(answer)).to.include('Internal server error').and.not.include(MARK);
        const faults = lines.filter(({ msg }) => msg === 'unexpected error');
        expect(faults).to.have.length(1);
        for (const line of faults) {
          expect(line).to.include({ level: 50 });
          expect(line.error).to.include({ type: 'Error', code: '22007' });
          const text = JSON.stringify(line);
          expect(text).to.include('the reason of the database');
          expect(text.length).to.be.below(MOST);
        }
      }
    });
  });
});
