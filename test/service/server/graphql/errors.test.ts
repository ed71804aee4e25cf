import { expect } from 'chai';
import { adviceTable, forGraphql } from '../../../../src/errors/advice.js';
import { errorTable } from '../../../../src/errors/errors.js';
import { graphqlSchema } from '../../../../src/features/graphql.js';
import { newAgent, type TestAgent } from '../../../support/market/agents.js';
import { data, query, refusalOf } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

describe('errors of GraphQL', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  let ada: TestAgent;
  before(async () => {
    ada = await newAgent(world, { name: 'Ada' });
  });

  const SCHEMA = 'Check the query against the schema';
  const AMOUNT = 'as an amount in ETH such as 0.002.';
  const LEAST = `Send least ${AMOUNT}`;
  const HASH = 'Send a transaction hash: 0x and 64 hexadecimal digits.';
  /** Documents with an invalid value. For each: the message and the hint of its error, and the variables to send. */
  const wrong: Readonly<Record<string, readonly [message: string, hint: string, variables?: Record<string, unknown>]>> = {
    '{ agents(first: "many") { totalCount } }': ['first: Int cannot represent non-integer value: "many"', SCHEMA],
    '{ agents(sort: CHEAPEST) { totalCount } }': [
      'sort: Value "CHEAPEST" does not exist in "AgentSort" enum. Did you mean the enum value "NEWEST"?',
      SCHEMA,
    ],
    'query ($n: Int!) { agents(first: $n) { totalCount } }': [
      'Variable "$n" got invalid value "many"; Int cannot represent non-integer value: "many"',
      SCHEMA,
      { n: 'many' },
    ],
    'query ($least: Eth = "abc") { agents(minPrice: $least) { totalCount } }': ['least is not valid', LEAST],
    '{ agents(minPrice: # a comment\n "1e3") { totalCount } }': ['minPrice is not valid', `Send minPrice ${AMOUNT}`],
    'query ($least: Eth) { agents(minPrice: $least) { totalCount } }': ['least is not valid', LEAST, { least: 'much' }],
    '{ agent(agentId: "ada") { ticketBalance(holderAddress: "0x12") } }': [
      'holderAddress: Invalid address format',
      'Send a wallet address: 0x and 40 hexadecimal digits.',
    ],
    'mutation ($input: TradeInput!) { recordBuy(input: $input) { trade { id } } }': [
      'txHash: Invalid txHash format',
      HASH,
      { input: { txHash: '0x1', agentAddress: `0x${'1'.repeat(40)}`, amount: 1 } },
    ],
    'mutation { recordBuy(input: { txHash: "0x1", agentAddress: "x", amount: 1 }) { trade { id } } }': [
      'txHash: Invalid txHash format',
      HASH,
    ],
    '{ agents(after: "nonsense") { totalCount } }': ['after is not valid', 'Send after'],
    '{ search(q: "a") { totalCount } }': ['Query too short', 'Search with'],
    '{ season(number: 77) { number } }': ['Season not found', 'seasons lists'],
    '{ price(agent: "ada", slippage: 1.234) { price } }': ['Invalid query parameter: slippage', 'Send slippage'],
    '{ price(agent: " ") { price } }': ['agent is not valid', 'Send agent as the wallet address, agentId or name'],
    '{ trending(first: 51) { totalCount } }': ['Invalid query parameter: first', 'Send first once, as an integer from 1 to 50.'],
    '{ agents { nodes { ...F0 } } } fragment F0 on Agent { ...F1 } fragment F1 on Agent { ...F0 }': [
      'Fragment F0 contains itself',
      'Remove the spread that leads from F0 back to F0.',
    ],
  };
  for (const [text, [message, hint, variables]] of Object.entries(wrong)) {
    it(`explain an invalid value${variables ? ' in a variable' : ''} with the message ${message} and a hint`, async () => {
      const { errors } = await query(world, text, { variables });
      expect(errors[0]?.message).to.equal(message);
      expect(String(errors[0]?.extensions.hint).slice(0, hint.length)).to.equal(hint);
    });
  }

  it('name operations of GraphQL in their hints, and no path of REST', async () => {
    const schema = graphqlSchema({ KEY_REPLACEMENT: 'on' });
    const types = [schema.getQueryType(), schema.getMutationType()];
    const operations = new Set(types.flatMap((type) => Object.keys(type?.getFields() ?? {})));
    const hints = [...Object.values(errorTable).map(([, , hint]) => hint), ...Object.values(adviceTable)];
    const named = hints.filter((hint) => hint.includes('/api/'));
    expect(named.length).to.be.above(10);
    for (const hint of named) {
      expect(forGraphql(hint)).to.not.contain('/api/');
      for (const [operation] of hint.matchAll(/\b[A-Z]+ \/api\/[\w/]+(\?\w+=\w+)?/g)) {
        expect(operations.has(/^\w+/.exec(forGraphql(operation))?.[0] ?? ''), operation).to.equal(true);
      }
    }
    const { errors } = await query(world, '{ agent(agentId: "nobody") { name } }');
    expect(errors[0]?.extensions.hint).to.equal('Check the address or agentId; search finds agents by name.');
  });

  it('come from invalid arguments before an agent is looked up, and treat an empty text as a value', async () => {
    const QUOTE = `action: BUY, walletAddress: "${ada.wallet}", agent: "nobody"`;
    for (const [field, code] of [
      ['price(agent: "nobody", amount: 0) { price }', 'INVALID_AMOUNT'],
      ['price(agent: "nobody", slippage: 1.234) { price }', 'INVALID_QUERY'],
      [`quote(${QUOTE}, amount: 1, deadlineSeconds: 1) { note }`, 'INVALID_QUERY'],
      [`quote(${QUOTE}, amount: 1, thesis: "see http://x.y") { note }`, 'THESIS_HAS_URL'],
      ['search(q: "") { totalCount }', 'QUERY_TOO_SHORT'],
      ['claimInfo(code: "") { status }', 'CODE_UNKNOWN'],
      ['agentWallet(agentId: "") { walletType }', 'AGENT_NOT_FOUND'],
    ]) {
      const { errors } = await query(world, `{ ${field} }`, { key: ada.key });
      expect(errors[0]?.extensions.code, field).to.equal(code);
    }
    const { nameAvailability } = await data(world, '{ nameAvailability(name: "") { available reason } }');
    expect(nameAvailability).to.deep.equal({ available: false, reason: 'INVALID' });
  });

  it('make only the failed fields of a query null, and leave its other fields', async () => {
    const text = `{ marketStats { total { agents } } agents(first: 101) { totalCount } leaderboard(first: 0) { totalCount }
      topAgents(first: 99) { id } search(q: "a") { totalCount } trending(first: 51) { totalCount } feed(first: 0) { totalCount }
      trades(first: 0) { totalCount } seasons(first: 0) { totalCount } nodes(ids: ${JSON.stringify(Array(101).fill('x'))}) { id } }`;
    const answer = await query(world, text);
    const failed = ['agents', 'leaderboard', 'topAgents', 'search', 'trending', 'feed', 'trades', 'seasons', 'nodes'];
    expect(answer.errors.map(({ path }) => path?.[0])).to.have.members(failed);
    expect(answer.data).to.deep.equal({
      marketStats: { total: { agents: 1 } },
      ...Object.fromEntries(failed.map((name) => [name, null])),
    });
    const fields = Object.values(graphqlSchema().getQueryType()?.getFields() ?? {});
    expect(fields.filter(({ type }) => String(type).endsWith('!')).map(({ name }) => name)).to.deep.equal([]);
  });

  it('depend on the agent, not on how an argument names it: by wallet or agentId, in any letter case', async () => {
    const trade = 'type: BUY, amount: 1';
    for (const field of [
      'candles(agent: REF) { close }',
      'feed(agent: REF) { nodes { id } }',
      'trades(agent: REF) { totalCount }',
      `price(agent: REF, ${trade}) { price agentAddress agent { name } }`,
      `quote(agent: REF, action: BUY, amount: 1, walletAddress: "${ada.wallet}") { note agentAddress agent { name } }`,
    ]) {
      const answers = [];
      for (const reference of [ada.wallet, ada.wallet.toUpperCase().replace('X', 'x'), 'ada', 'ADA']) {
        const text = `{ ${field.replace('REF', JSON.stringify(reference))} }`;
        answers.push(await data(world, text, { key: ada.key }));
      }
      for (const answer of answers) expect(answer, field).to.deep.equal(answers[0]);
      // The note of a quote names an operation. In GraphQL that must be a mutation, not the endpoint of REST.
      expect(JSON.stringify(answers), field).to.not.include('/api/');
      const nobody = await query(world, `{ ${field.replace('REF', '"nobody"')} }`, { key: ada.key });
      expect(refusalOf(nobody), field).to.equal('200 AGENT_NOT_FOUND');
    }
  });
});
