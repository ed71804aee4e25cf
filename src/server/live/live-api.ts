import type { Deps } from '../../deps.js';
import { AppError } from '../../errors/errors.js';
import { OpenCounts } from '../client-address.js';
import type { Engine } from '../graphql/engine.js';
import { Hub } from './hub.js';
import type { ReadPayloads } from './watch.js';

/** Maximum numbers per client address, on each replica. Not enforced with RATE_LIMITS=off, which benchmarks use. */
const MAX_CONNECTIONS = 100;
const MAX_SUBSCRIPTIONS = 1000;

export class LiveApi {
  readonly hub: Hub;
  /** Callbacks that end the open connections when the service stops. */
  readonly open = new Set<() => void>();
  closed = false;
  readonly connections: AddressQuota;
  readonly subscriptions: AddressQuota;

  constructor(
    readonly deps: Deps,
    readonly engine: Engine,
    readPayloads: ReadPayloads,
  ) {
    this.hub = new Hub(deps, engine, readPayloads);
    const limited = deps.config.RATE_LIMITS === 'on';
    this.connections = new AddressQuota('connections', limited ? MAX_CONNECTIONS : Number.POSITIVE_INFINITY);
    this.subscriptions = new AddressQuota('subscriptions', limited ? MAX_SUBSCRIPTIONS : Number.POSITIVE_INFINITY);
  }

  /** Ends all connections and accepts no new ones. */
  close(): void {
    this.closed = true;
    for (const end of [...this.open]) end();
  }
}

/** Retry-After of a refusal, in seconds. An estimate, because it is unknown when another connection closes. */
export const RETRY_SECONDS = 10;

/** Limits the open connections or subscriptions of an address. An IPv6 /48 may have ten times as many. */
export class AddressQuota {
  readonly #open = new OpenCounts();

  constructor(
    /** What is counted, connections or subscriptions: a name for the error message. */
    private readonly what: string,
    private readonly max: number,
  ) {}

  /** Counts one connection or subscription of the address, or throws TOO_MANY_OPEN. The returned function releases it. */
  take(ip: string): () => void {
    const { excess, max } = this.#open.excess(ip, this.max);
    if (excess > 0) throw new AppError('TOO_MANY_OPEN', { what: this.what, max, seconds: RETRY_SECONDS });
    return this.#open.add(ip);
  }
}
