// CI: it starts each program.
import { expect } from 'chai';
import { pino } from 'pino';
import { devAccount } from '../../src/chain/embedded-chain.js';
import { lockDirectory } from '../../src/store/data-directory.js';
import { announced, freshSalt } from '../support/chain/scripts.js';
import { runProcess } from '../support/service/command.js';
import { endProcesses, freshDirectory } from '../support/service/process.js';
import { useWorld } from '../support/world.js';

// Other tests call the functions of these programs in their own process.
describe('the programs as processes', () => {
  const world = useWorld();
  let directory: string;
  let unlock: () => void;

  before(() => {
    directory = freshDirectory();
    unlock = lockDirectory(directory, pino({ level: 'silent' }));
  });
  after(() => {
    unlock();
    return endProcesses();
  });

  it('print the answer of npm run season, and exit with 0', async () => {
    const env = { DATA_DIR: directory, PUBLIC_URL: world.url };
    expect(await runProcess('src/cli/season.js', ['list'], env)).to.deep.equal({
      code: 0,
      stdout: '{\n  "seasons": []\n}\n',
      stderr: '',
    });
  });

  for (const [program, args, hint] of [
    ['moderate', ['list'], ': stop the service, or set CRON_SECRET to its value'],
    ['reindex', [], ''],
  ] as const) {
    it(`print the refusal of npm run ${program}, and exit with 1`, async () => {
      expect(await runProcess(`src/cli/${program}.js`, args, { DATA_DIR: directory })).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: `curvet: DATA_DIR: "${directory}" is in use by another process${hint}\n`,
      });
    });
  }

  it('deploy the contract and verify it', async () => {
    const env = { RPC_URL: world.chain.rpcUrl, SALT: freshSalt() };
    const deploying = { ...env, DEPLOYER_KEY: devAccount(7).privateKey };
    const deployed = await runProcess('scripts/deploy-contract.js', [], deploying);
    expect(deployed.code, deployed.stderr).to.equal(0);
    const [, , address = ''] = announced.exec(deployed.stderr) ?? [];
    expect(deployed.stdout).to.match(new RegExp(`^CONTRACT_ADDRESS=${address}\nSTART_BLOCK=\\d+\n$`));
    const verified = await runProcess('scripts/verify-contract.js', [], { ...env, CONTRACT_ADDRESS: address });
    expect([verified.code, verified.stderr]).to.deep.equal([0, '']);
    expect(verified.stdout).to.match(/^The code at 0x\w+ is the build of/);
  });
});
