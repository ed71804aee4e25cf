import { stateNow } from '../core/desk/queries/health.js';
import type { Deps } from '../deps.js';

const EVERY_MS = 15_000;
/** The interval while a part is away, so that the log says in time that it is back. */
const AWAY_MS = 1000;

/**
 * Looks at database and chain every 15 seconds. So the log says when one is away, and /health says what was seen of the chain without
 * asking it.
 */
export function startWatching(deps: Deps): { stop(): void } {
  const watch = new ChainWatch(deps);
  const { isAway } = deps.outages;
  let next: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = async (): Promise<void> => {
    await watch.look();
    if (!isStopped) next = setTimeout(look, isAway('database') || isAway('chain') ? AWAY_MS : EVERY_MS);
  };
  void look();
  return {
    stop() {
      isStopped = true;
      clearTimeout(next);
    },
  };
}

/** Says once when the chain stands still, and once when it goes on. */
export class ChainWatch {
  /** The newest block before the chain stood still, and its time. */
  #stop: { readonly blockNumber: number; readonly since: number } | undefined;

  constructor(private readonly deps: Deps) {}

  async look(): Promise<void> {
    const { log, clock } = this.deps;
    const { state, blockNumber, ageSeconds } = (await stateNow(this.deps)).chain;
    if (blockNumber === null || ageSeconds === null) return;
    const now = clock.now().getTime();
    if (state === 'still' && this.#stop === undefined) {
      this.#stop = { blockNumber, since: now - ageSeconds * 1000 };
      log.warn({ blockNumber, ageSeconds }, 'the chain stands still: there is no new block');
    } else if (state === 'ok' && this.#stop !== undefined && blockNumber > this.#stop.blockNumber) {
      const seconds = Math.round((now - this.#stop.since) / 1000);
      this.#stop = undefined;
      log.info({ blockNumber, seconds }, 'the chain has new blocks again');
    }
  }
}
