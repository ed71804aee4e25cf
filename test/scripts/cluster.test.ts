// Nightly: it starts PostgreSQL, Redis and a cluster of the service.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../faults/support/ports.js';
import { childEnvironment } from '../support/processes.js';
import { useServers } from '../support/servers.js';
import { overOpenSocket } from '../support/service/live.js';
import { eventually, freshDirectory, getJson, root } from '../support/service/process.js';

describe('npm run cluster', () => {
  const servers = useServers();

  it('starts replicas behind one URL, and stops all of them', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const DATABASE_URL = servers.postgres.url.replace(/postgres$/, 'curvet_cluster');
    const program = join(root, 'dist/scripts/cluster.js');
    const cluster = spawn(join(root, 'bin/node'), [program, '2', '--port', new URL(url).port], {
      env: childEnvironment({ DATA_DIR: freshDirectory(), DATABASE_URL, REDIS_URL: servers.redis.url }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    cluster.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    try {
      await eventually(() => /cluster is ready/.test(output), 'the cluster is not ready');
      expect(output).to.include(`The cluster is ready at ${url} (2 replicas`);
      for (let i = 0; i < 4; i++) expect((await getJson(`${url}/ready`)).status).to.equal(200);
      const subscriber = await overOpenSocket(url, 'subscription { price { totalSupply } }');
      expect(subscriber.closed).to.equal(false);
      subscriber.cut();
    } finally {
      cluster.kill('SIGTERM');
    }
    const [code] = await once(cluster, 'exit');
    expect(code).to.equal(0);
    const replicas = [...output.matchAll(/replica at (\S+)/g)].map(([, replica]) => String(replica));
    expect(replicas.length).to.equal(2);
    for (const replica of replicas) expect(await fetch(replica).catch(() => 'refused')).to.equal('refused');
  });
});
