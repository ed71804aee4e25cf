import { expect } from 'chai';
import { errorTable } from '../../src/errors.js';
import { addAgent } from '../support/rows.js';
import { useWorld } from '../support/world.js';

const [, error, hint] = errorTable.DEPRECATED;

describe('TICKET_CALLBACKS=retired', () => {
  const world = useWorld({ TICKET_CALLBACKS: 'retired' });

  for (const path of ['/api/tickets/buy', '/api/tickets/sell']) {
    it(`POST ${path} is gone, with and without a key, whatever it is sent`, async () => {
      const { key } = await addAgent(world);
      for (const options of [{}, { key }, { key, body: { txHash: `0x${'1'.repeat(64)}` } }, { key, body: '{' }]) {
        const { status, body } = await world.ask('POST', path, options);
        expect([status, body]).to.deep.equal([410, { success: false, error, hint }]);
      }
    });
  }

  it('says so in the document', async () => {
    const { body } = await world.ask('GET', '/openapi.json');
    const paths = body.paths as Record<string, Record<string, { deprecated?: boolean }>>;
    expect(paths['/api/tickets/buy']?.post?.deprecated).to.equal(true);
    expect(paths['/api/feed']?.post?.deprecated).to.equal(undefined);
  });
});
