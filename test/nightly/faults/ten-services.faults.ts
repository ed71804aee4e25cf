import { expect } from 'chai';
import { print } from '../../support/print.js';
import { endProcesses, freshDirectory, getJson, type Running, rpc, run } from '../../support/service/process.js';

const SERVICES = 10;

describe(`${SERVICES} embedded services that start at the same moment on default ports`, function () {
  this.timeout(600_000);
  after(endProcesses);
  const directories: string[] = [];

  /**
   * An empty variable counts as not set, so each service chooses its ports. Ten services
   * share the cores, so their chains answer late.
   */
  const env = { PORT: '', CHAIN_PORT: '', TIMEOUT_FACTOR: '10' };
  const startAll = (): Running[] => directories.map((directory) => run({ env: { ...env, DATA_DIR: directory } }));

  // Waits until all services are ready. Checks that each has a separate port and chain, by mining `blocks[i]` blocks on chain `i`.
  // Returns the newest block before that, which is the same on all chains.
  async function expectApart(services: readonly Running[], blocks: readonly number[]): Promise<number> {
    const begun = performance.now();
    const times = await Promise.all(
      services.map(async (service, i) => {
        await service.until(() => service.readyLine !== undefined, `service ${i} is not ready`);
        return performance.now() - begun;
      }),
    );
    for (const addresses of [services.map(({ url }) => url), services.map(({ rpcUrl }) => rpcUrl)]) {
      expect(new Set(addresses).size, addresses.join(' ')).to.equal(SERVICES);
    }
    for (const [i, { url, rpcUrl }] of services.entries()) {
      const { body } = await getJson(`${url}/health`);
      expect(body.rpcUrl).to.equal(rpcUrl);
      // Each chain mines a different number of blocks, so a chain that two services shared would have the blocks of both.
      await rpc(rpcUrl, 'anvil_mine', `0x${(blocks[i] as number).toString(16)}`);
    }
    const heads: number[] = [];
    for (const { rpcUrl } of services) heads.push(Number(await rpc(rpcUrl, 'eth_blockNumber')));
    const bases = heads.map((head, i) => head - (blocks[i] as number));
    print(`ready after ${Math.round(Math.min(...times))} to ${Math.round(Math.max(...times))} ms; blocks ${heads.join(', ')}`);
    expect(new Set(bases).size, `the heads are ${heads.join(', ')}`).to.equal(1);
    for (const service of services) {
      expect(service.stderr).to.equal('');
      const warnings = service.log.filter(({ level }) => Number(level) >= 40);
      expect(warnings).to.deep.equal([]);
    }
    return bases[0] as number;
  }

  it('find ports and chains of their own, with new and with used directories', async () => {
    for (let i = 0; i < SERVICES; i++) directories.push(freshDirectory());
    const mined = directories.map((_, i) => i + 1);
    const services = startAll();
    const base = await expectApart(services, mined);
    expect(base, 'the block of the deployment').to.equal(1);
    for (const { code } of await Promise.all(services.map((service) => service.stop()))) expect(code).to.equal(0);
    const again = startAll();
    // After a restart, every chain must continue at its last block.
    await Promise.all(again.map((service) => service.until(() => service.readyLine !== undefined, 'not ready')));
    for (const [i, { rpcUrl }] of again.entries()) {
      expect(Number(await rpc(rpcUrl, 'eth_blockNumber'))).to.equal(base + (mined[i] as number));
    }
    for (const { code } of await Promise.all(again.map((service) => service.stop()))) expect(code).to.equal(0);
  });
});
