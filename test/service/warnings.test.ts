// CI: it starts the service.
import { expect } from 'chai';
import { pino } from 'pino';
import { RpcProvider } from '../../src/chain/rpc.js';
import { readConfig } from '../../src/config.js';
import { startService } from '../../src/service/service.js';
import { CHAIN_ID, testChain } from '../support/chain/chain.js';
import { deployEarlierMarket } from '../support/chain/earlier-market.js';
import { endProcesses, freshDirectory } from '../support/service/process.js';
import { TIMEOUT_FACTOR, testTimes } from '../support/times.js';

describe('a start on an external chain', () => {
  let directory: string;
  before(() => {
    directory = freshDirectory();
  });
  after(endProcesses);

  /** Starts and stops the service. Returns its log lines of level warn or higher. */
  const warnings = async (env: Record<string, string>) => {
    const { rpcUrl, contract } = await testChain();
    const place = { DATA_DIR: directory, PORT: '0', RPC_URL: rpcUrl, CONTRACT_ADDRESS: contract, EMBEDDED: '1' };
    const logged: { level: number; msg: string }[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => logged.push(JSON.parse(line)) });
    const config = readConfig({ ...place, SOCIAL_TEXT_PROXY: 'https://proxy.test/{url}', TIMEOUT_FACTOR, ...env });
    await (await startService(config, log)).stop();
    return logged.map(({ level, msg }) => `${level} ${msg}`);
  };

  it('warns once that registrations need no signature', async () => {
    expect(await warnings({})).to.deep.equal([
      '40 REGISTRATION_SIGNATURE is optional: strangers can register wallets that are not theirs; "required" is recommended',
    ]);
  });

  it('warns once that the contract has no deadlines', async () => {
    const { rpcUrl } = await testChain();
    const provider = new RpcProvider([rpcUrl], CHAIN_ID, testTimes);
    // An account of its own: the other tests count the nonces of the first one.
    const contract = await deployEarlierMarket(provider, 7).finally(() => provider.destroy());
    const [warning, ...others] = await warnings({
      // The stored index of another contract would refuse the start.
      DATA_DIR: freshDirectory(),
      REGISTRATION_SIGNATURE: 'required',
      CONTRACT_ADDRESS: contract,
    });
    expect(others).to.deep.equal([]);
    expect(warning).to.match(
      /^40 the contract was deployed by an earlier version: quotes with a deadline are refused; .* has all functions$/,
    );
    expect(warning).not.to.contain('DATA_DIR');
  });
});
