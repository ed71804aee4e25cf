import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HDNodeWallet } from 'ethers';
import type { Logger } from 'pino';
import { devAccount, stopOrphanedChain } from '../src/chain/embedded-chain.js';
import { DirectoryRefused, lockDirectory } from '../src/store/data-directory.js';

/** Credentials of an agent. `agent` is its index in the cast. */
export type AgentKey = Readonly<{ agent: number; name: string; wallet: string; apiKey: string }>;

/**
 * Wallet of an agent. It is the same on every machine, and its key is public: the mnemonic is that of development chains. The
 * accounts before 100 include the deployer of the contract and the faucet.
 */
export const walletOf = (agent: number): HDNodeWallet => devAccount(100 + agent);

/** The files that the demo adds to the data directory: its marker (`stateOf`), and the API keys of the agents. */
const FILES = ['demo.json', 'agents.json'];

/** Locks a directory that is empty, missing or created by the demo. Refuses any other directory, so that no data is lost. */
export function openHome(directory: string, log: Pick<Logger, 'warn'>) {
  const [marker, keyFile] = FILES.map((name) => join(directory, name)) as [string, string];
  const mark = (state: string) => writeFileSync(marker, `${JSON.stringify({ madeBy: 'npm run demo', state })}\n`);
  // A path that is not a directory is refused below, by `lockDirectory`.
  const files = statSync(directory, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(directory) : [];
  if (stateOf(marker) === undefined && files.some((name) => !/^lock(-journal)?$/.test(name))) {
    throw new DirectoryRefused(
      `DATA_DIR: "${directory}" has files that the demo did not create; use another directory, or leave DATA_DIR unset`,
    );
  }
  return {
    /** The keys of the agents. undefined if the market is not complete. */
    keys(): AgentKey[] | undefined {
      const isReady = stateOf(marker) === 'ready' && existsSync(keyFile);
      return isReady ? JSON.parse(readFileSync(keyFile, 'utf8')) : undefined;
    },
    /** Deletes an unfinished build, or a market that is to be rebuilt. */
    async clear(): Promise<void> {
      if (stateOf(marker) !== undefined) {
        await stopOrphanedChain(join(directory, 'chain'));
        for (const name of ['database', 'chain', 'agents.json']) rmSync(join(directory, name), { recursive: true, force: true });
      }
      mark('building');
    },
    finish(keys: readonly AgentKey[]) {
      writeFileSync(keyFile, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
      mark('ready');
    },
    release: lockDirectory(directory, log, FILES),
  };
}

/** What the marker says. undefined if the demo did not create the directory. */
function stateOf(marker: string): string | undefined {
  try {
    const { madeBy, state } = JSON.parse(readFileSync(marker, 'utf8'));
    return madeBy === 'npm run demo' ? state : undefined;
  } catch {
    return undefined;
  }
}
