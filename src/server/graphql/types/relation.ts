import { Field, Args as TakesArgs } from 'type-graphql';
import type { Node } from '../../resources/field.js';
import type { GraphContext } from '../context.js';
import type { Info } from './columns.js';

export type RelationOptions<Args> = {
  readonly type: () => object | [object];
  readonly args?: new () => Args;
  readonly description: string;
  readonly nullable?: boolean;
};

export type Resolve<Row, Args> = (row: Row, args: Args, context: GraphContext, info: Info) => unknown;

/**
 * Adds a field to a generated type. The field is a method of the nodes, which graphql-js calls itself: lists have hundreds of
 * them, and type-graphql would sort and convert the parameters at each call.
 */
export function relation<Row, Args>(
  { prototype }: { readonly prototype: object },
  name: string,
  { type, args, ...options }: RelationOptions<Args>,
  resolve: Resolve<Row, Args>,
): void {
  Field(type, { ...options, simple: true })(prototype, name);
  if (args) TakesArgs(() => args)(prototype, name, 0);
  Object.defineProperty(prototype, name, {
    value(this: Node<Row>, given: Args, context: GraphContext, info: Info) {
      return resolve(this.row, given, context, info);
    },
  });
}
