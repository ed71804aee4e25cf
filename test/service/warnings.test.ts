import { expect } from 'chai';
import { testChain } from '../support/chain/chain.js';
import { endProcesses, run, usedDirectory } from '../support/service/process.js';

describe('a start on a chain outside', function () {
  this.timeout(60_000);
  let directory: string;
  before(async () => {
    directory = await usedDirectory();
  });
  after(endProcesses);

  /** The lines of the log that are a warning or worse, of a start that became ready. */
  const warnings = async (env: Record<string, string>, outside = true) => {
    const chain = await testChain();
    const place = {
      RPC_URL: chain.rpcUrl,
      CONTRACT_ADDRESS: chain.contract,
      SOCIAL_TEXT_PROXY: 'https://proxy.test/{url}',
    };
    const service = run({ env: { DATA_DIR: directory, ...(outside ? place : {}), ...env } });
    await service.ready();
    expect(await service.stop()).to.include({ code: 0 });
    return service.log.filter(({ level }) => Number(level) >= 40).map(({ level, msg }) => `${level} ${msg}`);
  };

  it('warns once that registrations need no signature', async () => {
    expect(await warnings({})).to.deep.equal([
      '40 REGISTRATION_SIGNATURE is optional: strangers can register wallets that are not theirs; "required" is recommended',
    ]);
  });

  it('does not warn where they need one, nor on the embedded chain', async () => {
    expect(await warnings({ REGISTRATION_SIGNATURE: 'required' })).to.deep.equal([]);
    expect(await warnings({}, false)).to.deep.equal([]);
  });
});
