import { expect } from 'chai';
import { freshIp, newAgent } from '../../support/market/agents.js';
import { query } from '../../support/service/graphql.js';
import { overStream } from '../../support/service/live.js';
import { eventually } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';

const FEED = 'subscription { feedEvent { sequence id } }';

describe('streams of Server-Sent Events', () => {
  const world = useWorld({ TRUST_PROXY: '1' });

  before(() => newAgent(world));

  it('stream the answer of a query, and refuse a mutation over GET', async () => {
    const stream = await overStream(world.url, '{ marketStats { total { agents } } }');
    await eventually(() => stream.complete, 'the stream did not end');
    const last = { accept: 'application/json, text/event-stream, multipart/mixed' };
    const { headers } = await query(world, '{ marketStats { total { agents } } }', { headers: last });
    expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(stream.got).to.deep.equal([{ total: { agents: 1 } }]);
    const get = (query: string) =>
      fetch(`${world.url}/graphql?query=${encodeURIComponent(query)}`, {
        headers: { accept: 'text/event-stream', ...freshIp() },
      });
    expect((await get('mutation { post(text: "Forged") { id } }')).status).to.equal(405);
    const live = await get(FEED);
    expect(live.headers.get('content-type')).to.equal('text/event-stream; charset=utf-8');
    expect(live.headers.get('x-accel-buffering')).to.equal('no');
    await live.body?.cancel();
  });
});
