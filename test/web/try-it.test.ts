import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { exampleOf, groupsOf, isOpen, type OpenApi } from '../../web/src/pages/developers/reference/openapi.js';
import { addListedAgent } from '../support/market/rows.js';
import { root } from '../support/service/process.js';
import { useWorld } from '../support/world.js';

const document: OpenApi = JSON.parse(readFileSync(join(root, 'schema', 'openapi.json'), 'utf8'));
const offered = groupsOf(document)
  .flatMap(({ endpoints }) => endpoints)
  .filter(isOpen);

describe('the requests that the page for developers offers to send', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  let wallet: string;
  before(async () => {
    ({ wallet } = await addListedAgent(world, { agentId: 'ada' }, { agentId: 'ada', supply: 9 }));
  });

  it('are more than twenty', () => expect(offered).to.have.length.above(20));

  for (const endpoint of offered) {
    it(`are accepted: ${endpoint.path}`, async () => {
      const { status } = await world.ask('GET', exampleOf(endpoint, wallet));
      expect(status).to.not.equal(400);
    });
  }
});
