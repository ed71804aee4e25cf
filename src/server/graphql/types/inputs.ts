import 'reflect-metadata';
import { ArgsType, Field, Float, InputType, Int } from 'type-graphql';
import { z } from 'zod';
import type { ErrorCode } from '../../../errors/errors.js';
import { formatEth } from '../../../values/money.js';
import { baseOf, metaOf, parseFields } from '../../inputs.js';
import { typeOf } from './object-types.js';

/** Arguments as the GraphQL scalars have parsed them. A value may be null where REST clients omit the field. */
export type Arguments = Readonly<Record<string, unknown>>;

/** An input object, and its description. */
export type InputObject = { readonly Input: new () => Arguments; readonly description: string };

/** Registers the fields of an input as arguments. `Given` is the type of their values, for a resolver that does not parse them. */
export function argumentsOf<Given extends object = Arguments>(input: z.ZodObject): new () => Given {
  const Args = classOf(input);
  ArgsType()(Args);
  return Args as new () => Given;
}

/** Registers the fields of an input as an input object. */
export function inputObject(name: string, description: string, input: z.ZodObject): InputObject {
  const Input = classOf(input);
  InputType(name, { description })(Input);
  return { Input, description };
}

/** Creates a class with the fields of an input, in the same order. Retries of a mutation compare its arguments in this order. */
function classOf(input: z.ZodObject): new () => Arguments {
  class Fields {}
  for (const [name, field] of Object.entries<z.ZodType>(input.shape)) {
    // A field of type `never` is declared only to be refused, so GraphQL does not have it.
    if (baseOf(field) instanceof z.ZodNever) continue;
    const { graphql, description } = metaOf(field);
    const { success, data: defaultValue } = field.safeParse(undefined);
    const options = {
      description: graphql?.description ?? description,
      nullable: success && defaultValue === undefined,
      defaultValue,
    };
    Field(() => (graphql ? typeOf(graphql) : plainTypeOf(field)), options)(Fields.prototype, name);
  }
  return Fields as new () => Arguments;
}

function plainTypeOf(field: z.ZodType) {
  const base = baseOf(field);
  if (base instanceof z.ZodBoolean) return Boolean;
  if (base instanceof z.ZodNumberFormat) return Int;
  if (base instanceof z.ZodNumber) return Float;
  if (base instanceof z.ZodString) return String;
  throw new TypeError('a field needs the name of its type in GraphQL');
}

/**
 * Parses arguments with the input fields from which `argumentsOf` made them. `invalid` is the error code for fields that declare
 * none. `walletOf` is not called, so the name of an agent stays a name.
 */
export const readArguments = <Input extends z.ZodObject>(input: Input, given: Arguments, invalid?: ErrorCode): z.output<Input> =>
  parseFields(input, inJson(input, given), invalid, [undefined]);

/** Converts arguments to JSON, which the input fields parse. Removes null where a field does not accept it. */
export function inJson({ shape }: z.ZodObject, given: Arguments): Arguments {
  const values = Object.entries<unknown>(JSON.parse(JSON.stringify(given, ethAsText)));
  return Object.fromEntries(values.filter(([name, value]) => value !== null || shape[name]?.safeParse(null).success));
}

/** Replacer for `JSON.stringify`. Converts wei to ETH: of the scalars that arguments use, only Eth parses to a big integer. */
const ethAsText = (_name: string, value: unknown) => (typeof value === 'bigint' ? formatEth(value) : value);
