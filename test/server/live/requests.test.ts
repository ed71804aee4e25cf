import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { freshIp } from '../../support/market/agents.js';
import { transports } from '../../support/service/live.js';
import { eventually } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';

describe('operations over a live connection', () => {
  const world = useWorld({ TRUST_PROXY: '1' });

  it('accept a persisted query, refuse a mutation over GET, and report wrong variables', async () => {
    const query = '{ marketStats { total { trades } } }';
    const persistedQuery = { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') };
    const hashed = { extensions: { persistedQuery } };
    const stream = async (body: object) => {
      const headers = { accept: 'text/event-stream', 'content-type': 'application/json', ...freshIp() };
      const answer = await fetch(`${world.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
      const text = await answer.text();
      return answer.status === 200 ? text : `${answer.status} ${JSON.parse(text).errors[0].extensions.code}`;
    };
    expect(await stream(hashed)).to.equal('400 PERSISTED_QUERY_NOT_FOUND');
    await world.ask('POST', '/graphql', { body: { query, ...hashed }, headers: freshIp() });
    const data = '{"data":{"marketStats":{"total":{"trades":0}}}}';
    expect(await stream(hashed)).to.equal(`event: next\ndata: ${data}\n\nevent: complete\ndata:\n\n`);
    const forged = `/graphql?query=${encodeURIComponent('mutation { post(text: "Forged") { id } }')}`;
    const { status } = await world.ask('GET', forged, { headers: { accept: 'text/event-stream', ...freshIp() } });
    expect(status).to.equal(405);
    expect(await stream({ query, variables: [1] })).to.equal('400 INVALID_FIELD');
    const needs = 'subscription ($a: AgentRef!) { trade(agent: $a) { id } }';
    expect(await stream({ query: needs })).to.equal('400 BAD_USER_INPUT');
    expect(await stream({ query: needs, variables: { a: 5 } })).to.equal('400 INVALID_FIELD');
    const agents = 'query ($n: Int!) { agents(first: $n) { totalCount } }';
    expect(await stream({ query: agents, variables: { n: 'x' } })).to.match(
      /^event: next\ndata: {"errors":.*BAD_USER_INPUT/,
    );
  });

  it('are counted in the metrics when they start, and while they are open', async () => {
    const counts = async () => {
      const { body } = await world.ask('GET', '/metrics');
      return [...String(body.text).matchAll(/^curvet_subscriptions\S* (\d+)$/gm)].map(([, count]) => Number(count));
    };
    const [open = 0, started = 0] = await counts();
    const subscribers = [];
    for (const subscribe of Object.values(transports))
      subscribers.push(await subscribe(world.url, 'subscription { feedEvent { id } }'));
    expect(await counts()).to.deep.equal([open + 2, started + 2]);
    for (const subscriber of subscribers) subscriber.cut();
    await eventually(async () => (await counts())[0] === open, 'a closed subscription is counted as open');
    expect(await counts()).to.deep.equal([open, started + 2]);
  });
});
