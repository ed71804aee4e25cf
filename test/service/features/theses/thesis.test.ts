import { expect } from 'chai';
import type { ErrorCode } from '../../../../src/errors/errors.js';
import { hidePart } from '../../../../src/features/agents/hidden-profile.js';
import { newAgent, success, type TestAgent } from '../../../support/market/agents.js';
import { data, type Json, query } from '../../../support/service/graphql.js';
import { callTool, mcpClient } from '../../../support/service/mcp.js';
import { useWorld, type World } from '../../../support/world.js';

/**
 * Asks for a quote with a thesis over REST, GraphQL and MCP. Returns the code and the hint of each answer.
 * Both are undefined unless the thesis is refused.
 */
async function quotesOf(world: World, { key, wallet }: TestAgent, thesis: string) {
  const path = `action=buy&agent=${wallet}&amount=1&walletAddress=${wallet}&${new URLSearchParams({ thesis })}`;
  const args = `action: BUY, agent: "${wallet}", amount: 1, walletAddress: "${wallet}"`;
  const text = `{ quote(${args}, thesis: ${JSON.stringify(thesis)}) { maxCost } }`;
  const { body } = await world.ask('GET', `/api/tickets/quote?${path}`, { key });
  const [error] = (await query(world, text, { key })).errors ?? [];
  const tool = { action: 'buy', agent: wallet, amount: 1, thesis };
  const called = await callTool(await mcpClient(world, { key }), 'quote_trade', tool);
  const answers = [body, { code: error?.extensions.code, hint: error?.extensions.hint }, called.body] as Json[];
  return answers.map(({ code, hint }) => ({ code, hint }));
}

/** Submits a trade that is not on the chain. The thesis is checked before the trade, so a wrong thesis is refused first. */
async function recordOf(world: World, { key, wallet }: TestAgent, thesis: string) {
  const submission = { txHash: `0x${'1'.repeat(64)}`, agentAddress: wallet, amount: 1, thesis };
  const { code, hint } = (await world.ask('POST', '/api/tickets/buy', { key, body: submission })).body;
  return { code, hint };
}

const passed = { code: undefined, hint: undefined };

describe('a quote with a thesis', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  let agent: TestAgent;
  before(async () => {
    agent = await newAgent(world);
  });

  for (const [what, thesis, code] of [
    ['a dollar sign', 'x $5', 'INVALID_CHARACTERS'],
    ['a brace', 'x {5}', 'INVALID_CHARACTERS'],
    ['a null byte', 'x \0', 'INVALID_CHARACTERS'],
    ['141 characters', 'x'.repeat(141), 'FIELD_TOO_LONG'],
    ['a URL', 'see https://curvet.test/x', 'THESIS_HAS_URL'],
  ] as const satisfies readonly (readonly [string, string, ErrorCode])[]) {
    it(`is refused exactly as the record of the trade is: ${what}`, async () => {
      const recorded = await recordOf(world, agent, thesis);
      expect(recorded.code).to.equal(code);
      expect(await quotesOf(world, agent, thesis)).to.deep.equal([recorded, recorded, recorded]);
      if (thesis.includes('$')) expect(recorded.hint).to.include('"$" (write USD)');
    });
  }

  it('passes with 0 to 140 characters after HTML is stripped, as the record of the trade does', async () => {
    for (const thesis of [`<b>${'😀'.repeat(140)}</b>`, 'a < b', '']) {
      expect(await quotesOf(world, agent, thesis)).to.deep.equal([passed, passed, passed]);
      expect(await recordOf(world, agent, thesis)).to.include({ code: 'TRADE_UNVERIFIED' });
    }
  });

  it('is refused if the operator has hidden the texts of the agent', async () => {
    const hidden = await newAgent(world);
    const what = { wallet: hidden.wallet, part: 'texts', shown: null } as const;
    await world.deps.write((tx) => hidePart(tx, what, world.clock.now()));
    const codes = async (thesis: string) => (await quotesOf(world, hidden, thesis)).map(({ code }) => code);
    expect(await codes('up')).to.deep.equal(Array(3).fill('CONTENT_HIDDEN'));
    expect(await codes('')).to.deep.equal(Array(3).fill(undefined));
  });

  it('is described with the rules of a thesis in OpenAPI, MCP and GraphQL', async () => {
    const rules = /^Reason for the trade: no `\$`, no `{`, no URL, at most 140 characters\. .*Write USD/;
    const paths = (await world.ask('GET', '/openapi.json')).body.paths as Json;
    const { parameters } = paths['/api/tickets/quote'].get;
    const bodies = ['buy', 'sell'].map((side) => paths[`/api/tickets/${side}`].post.requestBody.content);
    const { tools } = await (await mcpClient(world)).listTools();
    const ofTools = tools.map(({ inputSchema }) => (inputSchema as Json).properties.thesis).filter(Boolean);
    const asked = '{ __schema { types { inputFields { name description } fields { args { name description } } } } }';
    const { types } = (await data(world, asked)).__schema as Json;
    const ofGraphql = types
      .flatMap(({ inputFields, fields }: Json) => [...(inputFields ?? []), ...(fields ?? []).flatMap(({ args }: Json) => args)])
      .filter(({ name }: Json) => name === 'thesis');
    const described: Json[] = [
      parameters.find(({ name }: Json) => name === 'thesis'),
      ...bodies.map((content) => content['application/json'].schema.properties.thesis),
      ...ofTools,
      ...ofGraphql,
    ];
    // One parameter, two bodies, two tools, and in GraphQL an argument and an input.
    expect(described).to.have.length(7);
    for (const { description } of described) expect(description).to.match(rules);
  });

  it('needs a key over MCP', async () => {
    const args = { action: 'buy', agent: agent.wallet, amount: 1, thesis: 'up' };
    expect((await callTool(await mcpClient(world), 'quote_trade', args)).body).to.include({ code: 'MISSING_KEY' });
  });
});

describe('a quote with a thesis at the limit of trades', () => {
  const world = useWorld();

  it('is refused with the time to wait, is not counted itself, and passes without its thesis', async () => {
    const agent = await newAgent(world);
    const { key, wallet, trader } = agent;
    for (let n = 0; n < 5; n++) {
      expect(await quotesOf(world, agent, 'up')).to.deep.equal([passed, passed, passed]);
      const { hash } = await trader.buy(wallet, 1);
      const body = { txHash: hash, agentAddress: wallet, amount: 1, thesis: 'up' };
      success(await world.ask('POST', '/api/tickets/buy', { key, body }));
    }
    const refused = await quotesOf(world, agent, 'up');
    expect(refused.map(({ code }) => code)).to.deep.equal(Array(3).fill('RATE_LIMITED'));
    expect(refused[0]?.hint).to.match(/^The limit of 5 trades per minute per key is reached\. Wait \d+ seconds\.$/);
    const args = `action: BUY, agent: "${wallet}", amount: 1, walletAddress: "${wallet}"`;
    expect((await data(world, `{ quote(${args}) { amount } }`, { key })).quote).to.deep.equal({ amount: 1 });
    expect(await quotesOf(world, agent, ' ')).to.deep.equal([passed, passed, passed]);
    world.clock.advance(61_000);
    expect(await quotesOf(world, agent, 'up')).to.deep.equal([passed, passed, passed]);
  });
});
