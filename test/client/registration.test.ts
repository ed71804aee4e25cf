// CI: it registers anew for each step at which it can end.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Curvet, CurvetError, Entry } from '../../client/src/curvet.js';
import { freshName } from '../support/market/agents.js';
import { newTrader } from '../support/market/traders.js';
import { endProcesses, freshDirectory } from '../support/service/process.js';
import { curvet as curvetCommand } from './support/command-line.js';
import { untilDeath } from './support/steps.js';
import { clockOf, limitsOf, newClient, thrown, useNamedWorld } from './support/traders.js';

describe('a registration whose run ends before it is done', () => {
  const world = useNamedWorld();
  after(endProcesses);

  it('gives the key that works, at whichever step it ends before it runs again', async () => {
    const directory = freshDirectory();
    for (let dieAt = 1; ; dieAt++) {
      const name = freshName();
      const { privateKey } = (await newTrader(world.chain)).signer;
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

describe('a registration by another URL than that of the service', () => {
  const world = useNamedWorld();
  const named = (publicUrl: string) => {
    Object.assign(world.deps, { publicUrl });
    // The answer with the URL is cached for a second.
    world.clock.advance(2000);
  };

  it('succeeds by another name of loopback', async () => {
    const { port } = new URL(world.url);
    for (const own of [`http://[::1]:${port}`, `http://localhost:${port}`, world.url]) {
      named(own);
      for (const baseUrl of [`http://localhost:${port}`, world.url]) {
        const { curvet } = await newClient(world, { baseUrl });
        expect((await curvet.register({ name: freshName() })).apiKey).to.match(/^[\w-]{64}$/);
      }
    }
  });

  it('is refused before it spends anything, and says which URL to call or to set', async () => {
    const { port } = new URL(world.url);
    for (const own of ['https://market.example', `http://127.0.0.1:${Number(port) + 1}`, `https://127.0.0.1:${port}`]) {
      named(own);
      const { signer, curvet, entries } = await newClient(world);
      const error = (await thrown(curvet.register({ name: freshName() }))) as CurvetError;
      expect([error.code, error.message]).to.deep.equal([
        'NOT_CONFIGURED',
        `the service at ${world.url} has the public URL ${own}`,
      ]);
      expect(error.hint).to.include(`Set PUBLIC_URL of the service to ${world.url}, or call ${own}.`);
      const dryRun = await curvetCommand(
        ['register', freshName(), '--dry-run', '--url', world.url],
        {},
        clockOf(world),
      );
      expect([dryRun.code, dryRun.out]).to.deep.equal([3, '']);
      expect(dryRun.error).to.include(`has the public URL ${own}`);
      expect(await world.chain.provider.getTransactionCount(signer.address)).to.equal(0);
      expect(await entries()).to.deep.equal([]);
    }
  });
});
