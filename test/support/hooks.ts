import { stopTestChain } from './chain/chain.js';
import { closeTestDatabases } from './database.js';

export const mochaHooks = {
  async afterAll(this: Mocha.Context) {
    this.timeout(30_000);
    await stopTestChain();
    await closeTestDatabases();
  },
};
