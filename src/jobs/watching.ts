import type { Deps } from '../deps.js';
import { stateNow } from '../server/health/state.js';
import { every } from '../times.js';

/** Usual interval between two looks. */
const EVERY_MS = 15_000;
const TICK_MS = 1000;

/**
 * Looks at database and chain every 15 seconds, and every second while one is away or suspected to be. So the log says when an outage
 * begins and ends, and /health says what was seen of the chain without asking it.
 */
export function startWatching(deps: Deps): { stop(): void } {
  const { times, outages } = deps;
  const watch = new ChainWatch(deps);
  let lookedAt = Number.NEGATIVE_INFINITY;
  const tick = () => {
    if (!outages.needsLook() && times.now() - lookedAt < EVERY_MS) return;
    lookedAt = times.now();
    void watch.look();
  };
  tick();
  return { stop: every(times, TICK_MS, tick) };
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
