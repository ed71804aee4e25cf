import { expect } from 'chai';
import { freePort } from '../../support/servers/ports.js';
import { useServers } from '../../support/servers.js';
import { overOpenSocket } from '../../support/service/live.js';
import { freshDirectory, getJson, run } from '../../support/service/process.js';

describe('npm run cluster', () => {
  const servers = useServers();

  it('starts replicas behind one URL, and stops all of them', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const DATABASE_URL = servers.postgres.url.replace(/postgres$/, 'curvet_cluster');
    const cluster = run({
      env: { DATA_DIR: freshDirectory(), DATABASE_URL, REDIS_URL: servers.redis.url },
      program: ['../scripts/cluster.js', '2', '--port', new URL(url).port],
    });
    await cluster.until(() => /cluster is ready/.test(cluster.stdout), 'the cluster is not ready');
    expect(cluster.stdout).to.include(`The cluster is ready at ${url} (2 replicas`);
    for (let i = 0; i < 4; i++) expect((await getJson(`${url}/ready`)).status).to.equal(200);
    const subscriber = await overOpenSocket(url, 'subscription { price { totalSupply } }');
    expect(subscriber.closed).to.equal(false);
    subscriber.cut();
    expect(await cluster.stop()).to.include({ code: 0 });
    const replicas = [...cluster.stdout.matchAll(/replica at (\S+)/g)].map(([, replica]) => String(replica));
    expect(replicas.length).to.equal(2);
    for (const replica of replicas) expect(await fetch(replica).catch(() => 'refused')).to.equal('refused');
  });
});
