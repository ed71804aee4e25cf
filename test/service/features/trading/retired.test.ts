import { expect } from 'chai';
import { errorTable } from '../../../../src/errors/errors.js';
import { newAgent, refusal, success } from '../../../support/market/agents.js';
import { addAgent } from '../../../support/market/rows.js';
import { data, type Json } from '../../../support/service/graphql.js';
import { useWorld } from '../../../support/world.js';

const [, , hint] = errorTable.DEPRECATED;

describe('TICKET_CALLBACKS=retired', () => {
  const world = useWorld({ TICKET_CALLBACKS: 'retired', RATE_LIMITS: 'off' });

  for (const path of ['/api/tickets/buy', '/api/tickets/sell']) {
    it(`answers 410 to POST ${path}, with or without a key or a valid body`, async () => {
      const { key } = await addAgent(world);
      for (const options of [{}, { key }, { key, body: { txHash: `0x${'1'.repeat(64)}` } }, { key, body: '{' }]) {
        const { status, body } = await world.ask('POST', path, options);
        const error = 'This endpoint is deprecated';
        expect([status, body]).to.deep.equal([410, { success: false, error, hint, code: 'DEPRECATED' }]);
      }
    });
  }

  it('still answers 401 to a wrong key', async () => {
    expect(refusal(await world.ask('POST', '/api/tickets/buy', { key: 'A'.repeat(64) }))).to.equal('401 Invalid API key');
  });

  it('refuses the quote of a trade with a thesis, which nothing would record', async () => {
    const { key, wallet } = await newAgent(world);
    const path = `/api/tickets/quote?action=buy&agent=${wallet}&amount=1&walletAddress=${wallet}`;
    const answer = await world.ask('GET', `${path}&thesis=up`, { key });
    expect(refusal(answer)).to.equal('410 This endpoint is deprecated');
    expect(answer.body.hint).to.match(/Trade with GET \/api\/tickets\/quote, without thesis/);
    success(await world.ask('GET', path, { key }));
  });

  it('omits the endpoints from the note of a quote, and marks them as deprecated in the OpenAPI document', async () => {
    const { key, wallet } = await newAgent(world);
    const query = `action=buy&agent=${wallet}&amount=1&walletAddress=${wallet}`;
    const { note } = success(await world.ask('GET', `/api/tickets/quote?${query}`, { key }));
    const args = `action: BUY, agent: "${wallet}", amount: 1, walletAddress: "${wallet}"`;
    const { quote } = await data(world, `{ quote(${args}) { note } }`, { key });
    const paths = (await world.ask('GET', '/openapi.json')).body.paths as Json;
    const example = paths['/api/tickets/quote'].get.responses['200'].content['application/json'].examples['a-purchase'].value;
    for (const text of [note, quote.note, example.note]) {
      expect(text).to.match(/^Sign and send transaction as it is/);
      expect(text).not.to.match(/POST|thesis/);
    }
    expect(paths['/api/tickets/buy'].post.deprecated).to.equal(true);
    expect(paths['/api/feed'].post.deprecated).to.equal(undefined);
  });
});
