import { expect } from 'chai';
import { RpcProvider } from '../../src/chain/rpc.js';
import { CHAIN_ID, testChain } from '../support/chain/chain.js';
import { deployEarlierMarket } from '../support/chain/earlier-market.js';
import { endProcesses, freshDirectory, run } from '../support/service/process.js';

describe('a start on an external chain', () => {
  after(endProcesses);

  /** Starts the service on a new database, so that no stored index contradicts the chain. Returns its log lines of level warn or higher. */
  const warnings = async (env: Record<string, string>, outside = true) => {
    const chain = await testChain();
    const place = {
      RPC_URL: chain.rpcUrl,
      CONTRACT_ADDRESS: chain.contract,
      SOCIAL_TEXT_PROXY: 'https://proxy.test/{url}',
    };
    const service = run({ env: { DATA_DIR: freshDirectory(), ...(outside ? place : {}), ...env } });
    await service.ready();
    expect(await service.stop()).to.include({ code: 0 });
    return service.log.filter(({ level }) => Number(level) >= 40).map(({ level, msg }) => `${level} ${msg}`);
  };

  it('warns once that registrations need no signature', async () => {
    expect(await warnings({})).to.deep.equal([
      '40 REGISTRATION_SIGNATURE is optional: strangers can register wallets that are not theirs; "required" is recommended',
    ]);
  });

  it('warns once that the contract has no deadlines', async () => {
    const { rpcUrl } = await testChain();
    const provider = new RpcProvider([rpcUrl], CHAIN_ID);
    // An account of its own: the other tests count the nonces of the first one.
    const contract = await deployEarlierMarket(provider, 7).finally(() => provider.destroy());
    const [warning, ...others] = await warnings({ REGISTRATION_SIGNATURE: 'required', CONTRACT_ADDRESS: contract });
    expect(others).to.deep.equal([]);
    expect(warning).to.match(
      /^40 the contract was deployed by an earlier version: quotes with a deadline are refused; .* has all functions$/,
    );
    expect(warning).not.to.contain('DATA_DIR');
  });

  it('logs no warning when signatures are required or the chain is embedded', async () => {
    expect(await warnings({ REGISTRATION_SIGNATURE: 'required' })).to.deep.equal([]);
    expect(await warnings({}, false)).to.deep.equal([]);
  });
});
