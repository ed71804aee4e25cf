import { expect } from 'chai';
import type { CurvetError } from '../../../client/src/curvet.js';
import { curvet as curvetCommand } from '../../support/client/command-line.js';
import { clockOf, newClient, thrown, useNamedWorld } from '../../support/client/traders.js';
import { freshName } from '../../support/market/agents.js';

describe('a registration by another URL than that of the service', () => {
  const world = useNamedWorld();
  const named = (publicUrl: string) => {
    Object.assign(world.deps, { publicUrl });
    // The service caches the answer with its URL for a second, so the clock moves on.
    world.clock.advance(2000);
  };

  it('succeeds if both URLs are names of loopback with the same port', async () => {
    const { port } = new URL(world.url);
    for (const own of [`http://[::1]:${port}`, `http://localhost:${port}`, world.url]) {
      named(own);
      for (const baseUrl of [`http://localhost:${port}`, world.url]) {
        const { curvet } = await newClient(world, { baseUrl });
        expect((await curvet.register({ name: freshName() })).apiKey).to.match(/^[\w-]{64}$/);
      }
    }
  });

  it('is refused before it spends anything if host, port or scheme differs, and says which URL to set', async () => {
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
      const dryRun = await curvetCommand(['register', freshName(), '--dry-run', '--url', world.url], {}, clockOf(world));
      expect([dryRun.code, dryRun.out]).to.deep.equal([3, '']);
      expect(dryRun.error).to.include(`has the public URL ${own}`);
      expect(await world.chain.provider.getTransactionCount(signer.address)).to.equal(0);
      expect(await entries()).to.deep.equal([]);
    }
  });
});
