import type { Deps } from '../../deps.js';
import type { LiveEvent } from '../../live/log.js';
import type { GraphContext } from '../graphql/context.js';
import type { Watch } from './watch.js';

/** The events that a subscription watches, and its viewer. */
export type Wanted = { readonly watch: Watch; readonly viewer: string | null; readonly events: readonly LiveEvent[] };

/** The payload of an event for a subscriber. null if the content no longer exists; a later event reports its removal. */
export type PayloadOf = (watch: Watch, event: LiveEvent, context: GraphContext) => object | null;

/** Reads the contents of events once for all subscribers. The number of statements does not depend on their number. */
export type ReadPayloads = (deps: Deps, wanted: readonly Wanted[]) => Promise<PayloadOf>;
