import type { Deps } from '../../deps.js';
import type { Engine } from '../graphql/engine.js';
import { AddressQuota } from './address-quota.js';
import { Hub } from './hub.js';
import type { ReadPayloads } from './payloads.js';

/**
 * Maximum number of open connections and subscriptions per address and replica. Not enforced with RATE_LIMITS=off,
 * which benchmarks use.
 */
const MAX_CONNECTIONS = 100;
const MAX_SUBSCRIPTIONS = 1000;

/** State that the transports of subscriptions share. */
export class LiveFace {
  readonly hub: Hub;
  /** Callbacks that end the open connections when the service stops. */
  readonly open = new Set<() => void>();
  closed = false;
  readonly #connections: AddressQuota;
  readonly #subscriptions: AddressQuota;

  constructor(
    readonly deps: Deps,
    readonly engine: Engine,
    readPayloads: ReadPayloads,
  ) {
    this.hub = new Hub(deps, engine, readPayloads);
    const limited = deps.config.RATE_LIMITS === 'on';
    this.#connections = new AddressQuota('connections', limited ? MAX_CONNECTIONS : Number.POSITIVE_INFINITY);
    this.#subscriptions = new AddressQuota('subscriptions', limited ? MAX_SUBSCRIPTIONS : Number.POSITIVE_INFINITY);
  }

  takeConnection = (ip: string): (() => void) => this.#connections.take(ip);
  takeSubscription = (ip: string): (() => void) => this.#subscriptions.take(ip);

  /** Ends all connections and accepts no new ones. */
  close(): void {
    this.closed = true;
    for (const end of [...this.open]) end();
  }
}
