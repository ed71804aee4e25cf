// CI: it registers anew for each step at which it can end.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Curvet, Entry } from '../../client/src/curvet.js';
import { freshName } from '../support/market/agents.js';
import { endProcesses, freshDirectory } from '../support/service/process.js';
import { untilDeath } from './support/steps.js';
import { clockOf, fundedWallet, limitsOf, useNamedWorld } from './support/traders.js';

describe('a registration whose run ends before it is done', () => {
  const world = useNamedWorld();
  after(endProcesses);

  it('gives the key that works, at whichever step it ends before it runs again', async () => {
    const directory = freshDirectory();
    for (let dieAt = 1; ; dieAt++) {
      const name = freshName();
      const { privateKey } = await fundedWallet(world);
      const journal = join(directory, `${dieAt}.json`);
      const options = { baseUrl: world.url, privateKey, limits: limitsOf(world), clock: clockOf(world), journal };
      let key = '';
      const register = async (curvet: Curvet) => {
        const { id, apiKey } = await curvet.register({ name, hold: true });
        key = apiKey;
        await curvet.trade.close(id);
      };
      const { died, steps } = await untilDeath(options, dieAt, register);
      if (key === '') await untilDeath(options, Number.POSITIVE_INFINITY, register);
      const { status, body } = await world.ask('GET', '/api/agents/me', { key });
      expect(status, `step ${dieAt}`).to.equal(200);
      expect(body.agent).to.have.property('name', name);
      if (died) continue;
      expect(steps).to.be.above(25);
      const { entries } = JSON.parse(readFileSync(journal, 'utf8')) as { entries: Entry[] };
      // After the registration, the journal contains neither the API key nor the request that would return it again.
      expect(entries.map(({ state, open, request, result }) => ({ state, open, request, result }))).to.deep.equal([
        { state: 'recorded', open: false, request: undefined, result: undefined },
      ]);
      return;
    }
  });
});
