import type { Context } from 'koa';
import { BoundedMap } from '../../bounded-map.js';

/** The media types of a GraphQL answer. The first is the default. */
export const JSON_TYPE = 'application/json';
export const RESPONSE_TYPE = 'application/graphql-response+json';
export const STREAM_TYPE = 'text/event-stream';

/**
 * Negotiates a media type. Returns false if the client accepts none of the types. The result is cached by the Accept
 * header, because negotiation takes longer than serving a cached answer.
 */
export function preferred<Type extends string>(...types: readonly Type[]): (ctx: Context) => Type | false {
  const negotiated = new BoundedMap<Type | false>(100, 10_000);
  return (ctx) => {
    const header = ctx.headers.accept ?? '*/*';
    let type = negotiated.get(header);
    if (type === undefined) {
      type = ctx.accepts(...types) as Type | false;
      negotiated.set(header, type);
    }
    return type;
  };
}
