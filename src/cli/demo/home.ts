import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HDNodeWallet } from 'ethers';
import type { Logger } from 'pino';
import { devAccount, stopOrphanedChain } from '../../chain/embedded-chain.js';
import { DirectoryRefused, lockDirectory } from '../../store/data-directory.js';

/** Credentials of an agent. `agent` is its index in the cast. */
export type AgentKey = Readonly<{ agent: number; name: string; wallet: string; apiKey: string }>;

/** Wallet of an agent. It is the same on every machine, and its key is public: the mnemonic is that of development chains. */
export const walletOf = (agent: number): HDNodeWallet => devAccount(100 + agent);

const MARKER = 'demo.json';
const KEYS = 'agents.json';
/** Data directory of the demo. A marker file tells that the demo created it, and whether its market is complete. */
export class Home {
  constructor(
    readonly directory: string,
    readonly release: () => void,
  ) {}

  get isReady(): boolean {
    return stateOf(this.directory) === 'ready' && existsSync(join(this.directory, KEYS));
  }

  /** Deletes an unfinished build, or a market that is to be rebuilt. */
  async clear(): Promise<void> {
    if (stateOf(this.directory) !== undefined) {
      await stopOrphanedChain(join(this.directory, 'chain'));
      const entries = ['database', 'chain', KEYS].map((entry) => join(this.directory, entry));
      for (const entry of entries) rmSync(entry, { recursive: true, force: true });
    }
    this.#mark('building');
  }

  /** Marks the market as complete. */
  finish(keys: readonly AgentKey[]): void {
    writeFileSync(join(this.directory, KEYS), `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
    this.#mark('ready');
  }

  keys(): AgentKey[] {
    return JSON.parse(readFileSync(join(this.directory, KEYS), 'utf8'));
  }

  #mark(state: string): void {
    writeFileSync(join(this.directory, MARKER), `${JSON.stringify({ madeBy: 'npm run demo', state })}\n`);
  }
}

/** Locks a directory that is empty, missing or created by the demo. Refuses any other. */
export function openHome(directory: string, log: Pick<Logger, 'warn'>): Home {
  // If the path is not a directory, the lock refuses it.
  const files = statSync(directory, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(directory) : [];
  if (stateOf(directory) === undefined && files.some((name) => !/^lock(-journal)?$/.test(name))) {
    throw new DirectoryRefused(
      `DATA_DIR: "${directory}" has files that the demo did not create; use another directory, or leave DATA_DIR unset`,
    );
  }
  return new Home(directory, lockDirectory(directory, log));
}

/** What the marker says. undefined if the demo did not create the directory. */
function stateOf(directory: string): string | undefined {
  try {
    const { madeBy, state } = JSON.parse(readFileSync(join(directory, MARKER), 'utf8'));
    return madeBy === 'npm run demo' ? state : undefined;
  } catch {
    return undefined;
  }
}
