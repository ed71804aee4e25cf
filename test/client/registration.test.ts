import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Entry } from '../../client/src/curvet.js';
import { freshName } from '../support/market/agents.js';
import { endProcesses, freshDirectory } from '../support/service/process.js';
import { useWorld } from '../support/world.js';
import { runChild } from './support/children.js';
import { fundedWallet, limitsOf } from './support/traders.js';

describe('a registration whose process is killed', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });
  after(endProcesses);

  it('gives the key that works, at whichever step the process is killed before it runs again', async () => {
    const directory = freshDirectory();
    for (let killAt = 1; ; killAt++) {
      const journal = join(directory, `${killAt}.json`);
      const { privateKey } = await fundedWallet(world);
      const env = {
        ...{ BASE_URL: 'http://curvet.test', SERVICE_URL: world.url, JOURNAL: journal, NAME: freshName() },
        ...{ PRIVATE_KEY: privateKey, LIMITS: JSON.stringify(limitsOf(world)) },
      };
      const first = await runChild('killed-registration.js', { ...env, KILL_AT: String(killAt) });
      const second = first.stdout === '' ? await runChild('killed-registration.js', env) : first;
      const [, key = ''] = /^registered (.{64})\n$/.exec(second.stdout) ?? [];
      const { status, body } = await world.ask('GET', '/api/agents/me', { key });
      expect(status, `step ${killAt}: ${second.stdout}`).to.equal(200);
      expect(body.agent).to.have.property('name', env.NAME);
      if (first.killed) continue;
      expect(first.code).to.equal(3);
      expect(killAt).to.be.above(25);
      const { entries } = JSON.parse(readFileSync(journal, 'utf8')) as { entries: Entry[] };
      // After the registration, the journal contains neither the API key nor the request that would return it again.
      expect(entries.map(({ state, open, request, result }) => ({ state, open, request, result }))).to.deep.equal([
        { state: 'recorded', open: false, request: undefined, result: undefined },
      ]);
      return;
    }
  });
});
