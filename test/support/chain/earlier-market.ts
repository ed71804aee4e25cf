import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ContractFactory } from 'ethers';
import { ticketMarketAbi } from '../../../src/chain/abi.js';
import { anvilBinary, devAccount, freePort } from '../../../src/chain/embedded-chain.js';
import { RpcProvider } from '../../../src/chain/rpc.js';
import { childEnvironment } from '../processes.js';
import { eventually, freshDirectory, root } from '../service/process.js';
import { testTimes } from '../times.js';
import { CHAIN_ID } from './chain.js';

const { bytecode } = JSON.parse(readFileSync(join(root, 'test/vectors/earlier-market.json'), 'utf8')) as {
  bytecode: string;
};

/** Deploys the market contract as it was before it had deadlines and registrations with tickets. Returns its address. */
export async function deployEarlierMarket(provider: RpcProvider, account = 0): Promise<string> {
  const owner = devAccount(account).connect(provider);
  // The constructor has not changed since: it takes the owner and both fees in basis points.
  const deployed = await new ContractFactory(ticketMarketAbi, bytecode, owner).deploy(owner.address, 500n, 500n);
  await deployed.waitForDeployment();
  return (await deployed.getAddress()).toLowerCase();
}

/** Creates a data directory as an earlier version of the service left it: its embedded chain has the earlier contract. */
export async function earlierDirectory(): Promise<string> {
  const directory = freshDirectory();
  const chain = join(directory, 'chain');
  mkdirSync(chain, { mode: 0o700 });
  const time = String(Math.floor(Date.now() / 1000));
  writeFileSync(join(chain, 'genesis'), time, { mode: 0o600 });
  const port = await freePort('127.0.0.1');
  const args = ['--port', String(port), '--chain-id', String(CHAIN_ID), '--timestamp', time, '--quiet'];
  const anvil = spawn(anvilBinary(), [...args, '--state', join(chain, 'state.json')], {
    stdio: 'ignore',
    env: childEnvironment(),
  });
  const exited = new Promise((resolve) => anvil.once('exit', resolve));
  const provider = new RpcProvider([`http://127.0.0.1:${port}`], CHAIN_ID, testTimes);
  try {
    const answers = () =>
      provider.getBlockNumber().then(
        () => true,
        () => false,
      );
    await eventually(answers, 'anvil does not start');
    await deployEarlierMarket(provider);
  } finally {
    provider.destroy();
    anvil.kill('SIGTERM');
    await exited;
  }
  // Only this user may read the file. Otherwise the service corrects the permissions and logs a warning.
  chmodSync(join(chain, 'state.json'), 0o600);
  return directory;
}
