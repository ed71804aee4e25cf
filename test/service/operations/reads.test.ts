import type { Client } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { forGraphql } from '../../../src/errors/advice.js';
import { toolsFor } from '../../../src/features/features.js';
import { graphqlSchema } from '../../../src/features/graphql.js';
import { isRead } from '../../../src/server/operation.js';
import { freshIp, success } from '../../support/market/agents.js';
import { type Market, populate } from '../../support/market/market.js';
import { expectAll, only, valueAt } from '../../support/operations/compare.js';
import { reads } from '../../support/operations/reads.js';
import { declarationOf } from '../../support/service/declared.js';
import { data, query as graphqlQuery, type Json } from '../../support/service/graphql.js';
import { callTool, checkAmounts, mcpClient, revisions } from '../../support/service/mcp.js';
import { declared, EXTRA, nameOf } from '../../support/service/samples.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

/** The values of the fields, with rows separated by commas. */
const textOf = (value: Json, fields: string): string =>
  Array.isArray(value)
    ? value.map((row) => textOf(row, fields)).join(', ')
    : fields
        .split(' ')
        .map((field) => valueAt(value, field))
        .join(' ')
        .trim();

/** Makes the query that selects `fields` at the end of a path such as `agents > nodes`, and the total of a list beside its rows. */
function queryOf(path: string, fields: string): { query: string; at: string } {
  const steps = path.split(' > ');
  const at = steps.filter((step) => !step.startsWith('...')).map((step) => step.replace(/\(.*/, ''));
  const query = steps.reduceRight((inner, step) => `${step} { ${inner} }${step === 'nodes' ? ' totalCount' : ''}`, fields);
  return { query: `{ ${query} }`, at: at.join('.') };
}

/** GraphQL writes the values of enumerations in capitals, and null where REST leaves a field out. */
const asGraphql = (value: Json, expected: Json): Json =>
  typeof value === 'string' && /^[A-Z_]+$/.test(expected) ? value.toUpperCase() : (value ?? null);

describe('reads', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let market: Market;
  /** Clients of MCP with Bob's key, one for each revision, and one without a key. */
  let clients: Client[];
  let keyless: Client;
  /** The schema of the result of each tool, as text. */
  const results = new Map<string, string>();
  before(async () => {
    market = await populate(world);
    clients = await Promise.all(revisions.map((revision) => mcpClient(world, { revision, key: market.bob.key })));
    keyless = await mcpClient(world);
    // The client validates results against output schemas only if it has listed them before.
    for (const client of [...clients, keyless])
      for (const { name, outputSchema } of (await client.listTools()).tools) results.set(name, JSON.stringify(outputSchema));
  });
  after(() => Promise.all([...clients, keyless].map((client) => client.close())));

  /** Replaces the names of wallets, of the code and of the thesis in a text or in arguments. */
  const filled = <T>(value: T): T => {
    const { ada, bob, eve, thesis } = market;
    const wallets = { ADA: ada.wallet, BOB: bob.wallet, EVE: eve.wallet, CODE: eve.code, THESIS: thesis };
    return JSON.parse(JSON.stringify(value).replace(/\b(ADA|BOB|EVE|CODE|THESIS)\b/g, (name) => wallets[name as 'ADA']));
  };

  it('each have a row in the table: the GETs of REST, the fields of Query, and the tools that read', () => {
    const listed = reads.flatMap(({ calls }) => calls.map(({ request }) => declarationOf(declared, 'GET', `/api${request}`)));
    const paths = declared.filter(({ method, path }) => method === 'GET' && path.startsWith('/api/'));
    expect(paths.filter((one) => !listed.includes(one)).map(nameOf)).to.deep.equal([]);
    const tools = toolsFor(world.deps.config)
      .filter(isRead)
      .map(({ tool }) => tool.name);
    const ofQuery = Object.keys(graphqlSchema(EXTRA).getQueryType()?.getFields() ?? {});
    const queried = reads.flatMap(({ calls }) => calls.map(({ graphql }) => /^\w*/.exec(graphql)?.[0]));
    // REST has no such reads, but for `marketStats` and `topAgents`, which tests below compare.
    const only = ['liveSequence', 'marketStats', 'nodes', 'season', 'socialActs', 'topAgents', 'trade'];
    expect(ofQuery.filter((name) => !queried.includes(name)).sort()).to.deep.equal(only);
    // The rows of `get_trending` differ from those of REST, so `tools.test.ts` tests it.
    expect(tools.filter((name) => !reads.some(({ tool }) => tool === name))).to.deep.equal(['get_trending']);
  });

  for (const { tool, ofTool, at = '', fields = '', shown, calls } of reads) {
    for (const { request, graphql, args, expected, code } of calls) {
      const others = [graphql, args && tool].filter(Boolean).join(' and ');
      const does = code ? `are refused as ${code}` : `return ${expected || 'nothing'}`;
      it(`by GET /api${request} ${does}${others && `, like ${others}`}`, async () => {
        const { key } = market.bob;
        const { query, at: where } = queryOf(filled(graphql), fields);
        const ofRest = await world.ask('GET', filled(`/api${request}`), { key, headers: freshIp() });
        const ofGraphql = graphql ? await graphqlQuery(world, query, { key }) : undefined;
        const ofTools = await Promise.all((args ? clients : []).map((client) => callTool(client, String(tool), filled(args))));
        if (code) {
          const ofErrors = ofGraphql ? [ofGraphql.errors[0]?.extensions.code] : [];
          const codes = [ofRest.body.code, ...ofErrors, ...ofTools.map(({ body }) => body.code)];
          expect(new Set(codes)).to.deep.equal(new Set([code]));
          return;
        }
        if (declarationOf(declared, 'GET', `/api${request}`)?.auth === 'none') await expectSameWithoutKey();
        const { success: _, ...answer } = success(ofRest);
        const rows = valueAt(answer, at);
        expect(textOf(rows, shown)).to.equal(filled(expected));
        if (ofGraphql) {
          expect(ofGraphql.errors).to.deep.equal([]);
          // Hints and notes name an operation as their API does: `POST /api/tickets/buy` in REST, `recordBuy` in GraphQL.
          expectAll(JSON.parse(forGraphql(JSON.stringify(rows))), valueAt(ofGraphql.data, where), asGraphql);
          const total = valueAt(answer, 'pagination.total') ?? answer.total ?? answer.totalAgents ?? rows.length;
          const [list] = where.split('.nodes');
          if (list !== where) expect(valueAt(ofGraphql.data, `${list}.totalCount`)).to.equal(total);
        }
        for (const { failed, body } of ofTools) {
          expect(failed, JSON.stringify(body)).to.equal(false);
          expectAll(valueAt(body, at), ofTool ? only(rows, ofTool.split(' ')) : rows);
          // Posts have no amounts.
          const hasAmounts = /"\w+(Wei|Eth)":/.test(results.get(String(tool)) ?? '') && !/STATUS|likes/.test(request);
          expect(checkAmounts(body) > 0).to.equal(hasAmounts && expected !== '');
        }

        async function expectSameWithoutKey(): Promise<void> {
          const open = await world.ask('GET', filled(`/api${request}`), { headers: freshIp() });
          expect(open.body).to.deep.equal(ofRest.body);
          if (ofGraphql) expect((await graphqlQuery(world, query)).data).to.deep.equal(ofGraphql.data);
          if (args) {
            const { body } = await callTool(keyless, String(tool), filled(args));
            expect(body).to.deep.equal(ofTools[0]?.body);
          }
        }
      });
    }
  }

  it('of the feed have short hashes in REST without a key, and whole ones in GraphQL', async () => {
    const { feed, topAgents } = success(await world.ask('GET', '/api/feed', { headers: freshIp() })) as Json;
    const found = await data(world, '{ feed { nodes { id ... on TradeEvent { txHash } } } topAgents { id } }');
    const whole = found.feed.nodes.flatMap(({ txHash = [] }: Json) => txHash);
    expect(whole).to.have.length(5);
    for (const hash of whole) expect(hash).to.match(/^0x[0-9a-f]{64}$/);
    const hashes = feed.flatMap(({ txHash = [] }: Json) => txHash);
    expect(hashes.map((hash: string) => hash.slice(0, 10))).to.deep.equal(whole.map((hash: string) => hash.slice(0, 10)));
    expect(hashes.map((hash: string) => hash.length)).to.not.include(66);
    expect(found.topAgents)
      .to.deep.equal(topAgents.map(({ id }: Json) => ({ id })))
      .and.have.length(3);
  });

  it('of the market have figures that are the sums of its agents', async () => {
    const { agents } = success(await world.ask('GET', '/api/agents', { headers: freshIp() })) as Json;
    const sum = (name: string) => agents.reduce((total: number, agent: Json) => total + agent[name], 0);
    const figures = 'total { agents trades volume volumeEth holders } day { agents trades volume holders }';
    const { total, day } = (await data(world, `{ marketStats { ${figures} } }`)).marketStats;
    expect(total).to.include({ agents: 3, trades: sum('txCount24h'), holders: 3 });
    expect(total.volumeEth).to.be.closeTo(sum('volume24h'), 1e-12);
    expect(day).to.deep.equal({ agents: 3, trades: total.trades, volume: total.volume, holders: 3 });
  });

  it('of points round to nine decimals', async () => {
    const inexact = 'volume_points = 31.568640000000002, total_points = 0.1 + 0.2::float8';
    await runSql(world.deps, `update agent_season_points set ${inexact} where agent = $1`, [market.ada.wallet]);
    const expected = { volumePoints: 31.56864, totalPoints: 0.3 };
    const { agent } = await data(world, '{ agent(agentId: "ada") { points { volumePoints totalPoints } } }');
    expect(agent.points).to.deep.equal(expected);
    const { leaderboard } = success(await world.ask('GET', '/api/seasons/leaderboard', { headers: freshIp() })) as Json;
    expect(leaderboard.find(({ totalPoints }: Json) => totalPoints === 0.3).breakdown).to.deep.include(expected);
  });
});
