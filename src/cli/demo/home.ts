import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { stopOrphanedChain } from '../../chain/embedded-chain.js';
import { DirectoryRefused, lockDirectory } from '../../store/data-directory.js';

/** An agent, by its place in the cast, and what it needs to act over the API. */
export type AgentKey = {
  readonly agent: number;
  readonly name: string;
  readonly wallet: string;
  readonly apiKey: string;
};

const MARKER = 'demo.json';
const KEYS = 'agents.json';
/** What a lock of the directory leaves behind, which is no sign that somebody keeps something there. */
const LOCKS = /^lock(-journal)?$/;

type State = 'building' | 'ready';

/** The data directory of the demo. A file in it says that the demo made it, and whether its market is whole. */
export class Home {
  constructor(
    readonly directory: string,
    readonly release: () => void,
  ) {}

  get isReady(): boolean {
    return stateOf(this.directory) === 'ready' && existsSync(join(this.directory, KEYS));
  }

  /** Takes away what a build has left, or a market that is to be made anew. */
  async clear(): Promise<void> {
    if (stateOf(this.directory) !== undefined) {
      await stopOrphanedChain(join(this.directory, 'chain'));
      for (const own of ['database', 'chain', KEYS])
        rmSync(join(this.directory, own), { recursive: true, force: true });
    }
    this.#mark('building');
  }

  /** The market is whole from here on. */
  finish(keys: readonly AgentKey[]): void {
    writeFileSync(join(this.directory, KEYS), `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
    this.#mark('ready');
  }

  keys(): AgentKey[] {
    return JSON.parse(readFileSync(join(this.directory, KEYS), 'utf8'));
  }

  #mark(state: State): void {
    writeFileSync(join(this.directory, MARKER), `${JSON.stringify({ madeBy: 'npm run demo', state })}\n`);
  }
}

/** Takes a directory that is empty, or not there yet, or the demo's own; locked until it is released. */
export function openHome(directory: string, log: Pick<Logger, 'warn'>): Home {
  // What is no directory is refused by the lock.
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() && stateOf(directory) === undefined) {
    if (readdirSync(directory).some((name) => !LOCKS.test(name))) {
      throw new DirectoryRefused(
        `DATA_DIR: "${directory}" holds something that the demo did not make; name another directory, or none`,
      );
    }
  }
  return new Home(directory, lockDirectory(directory, log));
}

function stateOf(directory: string): State | undefined {
  try {
    const { madeBy, state } = JSON.parse(readFileSync(join(directory, MARKER), 'utf8'));
    return madeBy === 'npm run demo' ? (state === 'ready' ? 'ready' : 'building') : undefined;
  } catch {
    return undefined;
  }
}
