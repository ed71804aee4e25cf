import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../src/app.js';
import { type Deps, openQueues } from '../../src/deps.js';
import { openCaches } from '../../src/freshness.js';
import { ask, type World } from './world.js';

/** Calls `use` with the same world, but with some parts of its dependencies replaced. */
export async function withParts(
  world: World,
  parts: Partial<Deps>,
  use: (other: World & { closeApp(): Promise<void> }) => Promise<void>,
) {
  const { clock, writes } = { ...world.deps, ...parts };
  const caches = openCaches(() => clock.now().getTime(), writes);
  const deps = { ...world.deps, caches, queues: openQueues(), ...parts };
  const app = createApp(deps);
  const server = createServer(app.callback()).on('upgrade', app.upgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await use({
      ...world,
      url,
      deps,
      closeApp: () => app.close(),
      ask: (method, path, options) => ask(url, method, path, options),
    });
  } finally {
    await app.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
