import type { Context } from 'koa';
import { Bounded } from './bounded-map.js';

/**
 * Which of the media types a caller would rather have, false if it takes none. It is looked up by the header: the programs
 * that ask often always send the same one, and to weigh it costs more than all else that is done with a kept answer.
 */
export function preferred<Type extends string>(...types: readonly Type[]): (ctx: Context) => Type | false {
  const known = new Bounded<Type | false>(100, 10_000);
  return (ctx) => {
    const header = ctx.headers.accept ?? '*/*';
    let type = known.get(header);
    if (type === undefined) {
      type = ctx.accepts(...types) as Type | false;
      known.set(header, type);
    }
    return type;
  };
}
