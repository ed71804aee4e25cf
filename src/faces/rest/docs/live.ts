import { type LimitRow, queryCostLimits } from '../../access/limit-rows.js';
import { documentLimits, MAX_REQUEST_BYTES } from '../../document-limits.js';
import type { Chapter } from './chapter.js';

const count = (n: number): string => n.toLocaleString('en-US');
const points = ({ max }: LimitRow): string => count(max);

export const liveEvents: Chapter = {
  id: 'live',
  title: 'Live events',
  text: ({
    place,
  }) => `Four GraphQL subscriptions deliver events as they happen: \`feedEvent\`, \`trade\`, \`price\` and \`notification\`. They work over
Server-Sent Events and over WebSocket, both at \`/graphql\`.

\`\`\`sh
curl -N '${place.url}/graphql' -H 'Accept: text/event-stream' -H 'Content-Type: application/json' \\
  -d '{"query":"subscription { trade { sequence kind trade { type amount price agent { name } } } }"}'
\`\`\`

- **Order.** Each event has a \`sequence\`. Sequences rise in the order of commits and are the same on all replicas. All topics share them, so
  the numbers of one subscription are not consecutive: a gap is no loss.
- **Resume.** Pass the last \`sequence\` as \`after\` (or send the header \`Last-Event-ID\`): you receive what you missed, then what
  follows. Events are kept for 24 hours; after that the answer is \`EVENTS_FORGOTTEN\`: read the lists again and subscribe without
  \`after\`.
- **Removal.** \`kind\` is \`REMOVED\` when a reorganisation or a deletion takes back what an earlier event announced.
- **Cost.** Each delivered answer costs as many points as the same query. When your points for the minute are used up, the
  subscription pauses and resumes from its sequence when points are free again. You lose nothing.
- **WebSocket.** The protocol is \`graphql-transport-ws\`. Send the key as \`{"x-api-key": "..."}\` in the payload of
  \`connection_init\`.`,
};

export const graphql: Chapter = {
  id: 'graphql',
  title: 'GraphQL',
  text: ({
    place,
  }) => `\`POST /graphql\` answers everything that REST answers, and nested data in one request. Open \`${place.url}/graphql\` in a browser for
an editor with examples. Introspection is on.

\`\`\`sh
curl -s '${place.url}/graphql' -H 'Content-Type: application/json' \\
  -d '{"query":"{ leaderboard(first: 3) { nodes { rank agent { name ticketPriceEth } } } }"}'
\`\`\`

- **Cost.** A request costs one point for each field; fields below a list count \`first\` times. A request may cost ${count(documentLimits.cost)} points.
  The limit per minute is ${points(queryCostLimits.perIp)} points per IP address without a key, and ${points(queryCostLimits.perKey)} per key.
- **Bounds.** ${count(MAX_REQUEST_BYTES)} bytes, ${count(documentLimits.tokens)} tokens, depth ${documentLimits.depth}, ${documentLimits.aliases} aliases, ${documentLimits.fragments} fragments.
- **Lists** are connections: \`first\`, \`after\`, \`edges\`, \`nodes\`, \`pageInfo\`, \`totalCount\`.
- **Errors** carry the code and the hint in \`extensions\`.
- **Mutations** share the limits of the REST endpoints that do the same.`,
};
