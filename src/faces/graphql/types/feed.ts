import { Args, ArgsType, Ctx, Field, Info, Query, Resolver } from 'type-graphql';
import { AppError } from '../../../errors.js';
import {
  ALL_EVENT_PARTS,
  type EventPart,
  type EventWith,
  feedEvents,
  type Trade as TradeRow,
} from '../../../features/feed/feed-events.js';
import { feedTotal } from '../../../features/feed/feed-totals.js';
import { eventTable, typeNameOf } from '../../../features/feed/resource.js';
import { partsOf } from '../../../server/resources/field.js';
import type { GraphContext } from '../engine/context.js';
import { agentField, walletOf } from './agent.js';
import { type Connection, connection, connectionType, PageArgs, pageIn } from './connection.js';
import { FeedSort, FeedType, type Of } from './enums.js';
import type { Node } from './generate.js';
import { nullable, withoutNulls } from './given.js';
import { lookAhead, type Info as ResolveInfo, selectedInNodes } from './lookahead.js';
import { types } from './objects.js';
import { AgentRef } from './scalars.js';

/** An event. `full`: the transaction hash is complete, as trades show it to everybody. REST shortens it without an API key. */
type EventRow = EventWith<EventPart> & { readonly full: boolean };
export type EventNode = Node<EventRow>;

export const FeedEventConnection = connectionType('FeedEvent', () => types.FeedEvent, 'feed events');

const partsOfFields = partsOf(eventTable);
/** Columns that the query selects of the nodes of a connection of feed events. */
export const eventParts = lookAhead((info): readonly EventPart[] => {
  const wanted = partsOfFields(selectedInNodes(info));
  return ALL_EVENT_PARTS.filter((part) => wanted.has(part));
});

export const eventRow = <Event extends EventWith<EventPart>>(event: Event) => ({ ...event, full: true });
export const eventNode = (event: EventWith<EventPart>): EventNode => {
  const Type = types[typeNameOf(event)] as new (row: object) => EventNode;
  return new Type(eventRow(event));
};

// For a field that a type takes from its interface, type-graphql makes a resolver that returns the method and does not call it.
// So each type has the field itself, too.
for (const type of [types.FeedEvent, types.RegisteredEvent, types.BoughtEvent, types.SoldEvent, types.StatusEvent]) {
  agentField<EventRow>(type, ({ agentAddress }) => agentAddress, {
    description: 'Agent that registered or posted, or whose tickets were traded.',
  });
}
for (const type of [types.TradeEvent, types.BoughtEvent, types.SoldEvent]) {
  agentField<TradeRow>(type, ({ traderAddress }) => traderAddress, {
    name: 'trader',
    description: 'Agent that traded. Null if the wallet is not an agent of this service.',
  });
}

@ArgsType()
export class AgentFeedArgs extends PageArgs {
  @Field(() => FeedType, { nullable: true, description: 'Only events of this type.' })
  type?: Of<typeof FeedType> | null;
}

@ArgsType()
class FeedArgs extends AgentFeedArgs {
  @Field(() => AgentRef, nullable('Only events of this agent.'))
  agent?: string | null;
  @Field(() => FeedSort, { defaultValue: 'newest', description: 'Sort order. LIKES returns only posts.' })
  sort!: Of<typeof FeedSort>;
}

@Resolver()
export class FeedResolver {
  @Query(() => FeedEventConnection, {
    nullable: true,
    description: 'Feed events of the agents of this service: registrations, trades and posts, newest first by default.',
  })
  async feed(
    @Args(() => FeedArgs) args: FeedArgs,
    @Ctx() context: GraphContext,
    @Info() info: ResolveInfo,
  ): Promise<Connection<EventNode>> {
    const { deps, actor } = context;
    const { agent: reference, type, sort } = withoutNulls(args);
    const agent = reference && (await walletOf(context, reference));
    const viewer = actor?.wallet ?? null;
    const page = pageIn(context, info, args);
    const byLikes = sort === 'likes';
    if (byLikes && type !== undefined && type !== 'STATUS') {
      throw new AppError('INVALID_FIELD', { field: 'sort', expected: 'NEWEST: only posts have likes' });
    }
    const rows = await feedEvents(deps, { agent, type, sort, page, viewer, parts: eventParts(context, info) });
    const filter = { agent, type: byLikes ? ('STATUS' as const) : type };
    return connection(rows, page, eventNode, () => feedTotal(deps, filter));
  }
}
