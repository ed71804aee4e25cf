import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { root } from '../../../support/service/process.js';
import type { Dice } from './dice.js';
import type { Values } from './values.js';

export const schema = buildSchema(readFileSync(join(root, 'schema/schema.graphql'), 'utf8'));

type Variables = Record<string, unknown>;
export type Generated = { readonly query: string; readonly variables: Variables };

/** Generates documents from the schema. Most are valid and cheap enough to be executed. Some contain hostile parts. */
export class Documents {
  #variables: Variables = {};
  #declared: string[] = [];
  /** Budget for fields with a selection set, so that most documents stay within the limit of query cost. */
  #points = 0;
  /** Number of documents so far. */
  #roots = 0;

  constructor(
    private readonly dice: Dice,
    private readonly values: Values,
  ) {}

  /** Generates the next document. Each call begins with the next field of the root type, so that every root field gets its turn. */
  next(operation: 'query' | 'mutation' | 'subscription'): Generated {
    const { dice } = this;
    [this.#variables, this.#declared, this.#points] = [{}, [], 40 + dice.below(40)];
    // undefined for a subscription. The next line then takes the type `Subscription`.
    const type = { query: schema.getQueryType(), mutation: schema.getMutationType() }[operation as 'query'];
    const fields = Object.values((type ?? schema.getSubscriptionType())?.getFields() ?? {});
    const first = fields[this.#roots++ % fields.length] as GraphQLField<unknown, unknown>;
    const chosen = [first, ...(dice.chance(0.2) && operation !== 'subscription' ? [dice.pick(fields)] : [])];
    const selection = chosen.map((field, i) => `${i === 0 ? '' : 'other: '}${this.#field(field, 1)}`).join(' ');
    const head = this.#declared.length === 0 ? operation : `${operation} Q(${this.#declared.join(', ')})`;
    const text = `${head} { ${selection} }`;
    return { query: dice.chance(0.06) ? this.#spoiled(text) : text, variables: this.#variables };
  }

  /** The text of a field with its arguments and its selection set, without an alias. */
  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const named = field.args.filter((argument) => isNonNullType(argument.type) || this.dice.chance(0.35));
    const given = named.map((argument) => `${argument.name}: ${this.#argument(argument)}`);
    return `${field.name}${given.length === 0 ? '' : `(${given.join(', ')})`}${this.#selection(field.type, depth)}`;
  }

  #selection(type: GraphQLOutputType, depth: number): string {
    const named = getNamedType(type);
    if (isLeafType(named)) return '';
    const parts = ['__typename'];
    for (const possible of isAbstractType(named) ? schema.getPossibleTypes(named) : []) {
      if (this.dice.chance(0.5)) parts.push(`... on ${possible.name} { ${this.#fields(possible, depth)} }`);
    }
    if (isObjectType(named) || isInterfaceType(named)) parts.push(this.#fields(named, depth));
    return ` { ${parts.join(' ')} }`;
  }

  #fields(type: { getFields(): Record<string, GraphQLField<unknown, unknown>> }, depth: number): string {
    const { dice } = this;
    const fields = Object.values(type.getFields());
    const fits = fields.filter(({ type: of }) => isLeafType(getNamedType(of)) || (depth < 6 && this.#points > 0));
    const chosen = dice.some(fits, Math.min(0.9, 4 / Math.max(1, fits.length)));
    const texts = chosen.map((field) => {
      this.#points -= isLeafType(getNamedType(field.type)) ? 0 : 6;
      const text = this.#field(field, depth + 1);
      if (dice.chance(0.03) && !text.includes('{')) return `${text} @include(if: ${dice.chance(0.5)})`;
      return dice.chance(0.05) ? `x${dice.below(1000)}: ${text}` : text;
    });
    return texts.join(' ');
  }

  /**
   * Writes the value of an argument as a literal or as a variable. Page sizes stay
   * small, because the cost of a document is limited.
   */
  #argument({ name, type }: GraphQLArgument): string {
    const { dice } = this;
    const hostile = dice.chance(0.06);
    const value = hostile ? this.values.hostile() : this.#input(name, type);
    if (dice.chance(0.5)) return literal(value, hostile ? undefined : type);
    const variable = `v${this.#declared.length}`;
    this.#declared.push(`$${variable}: ${type}`);
    this.#variables[variable] = value;
    return `$${variable}`;
  }

  #input(name: string, type: GraphQLInputType): unknown {
    const { dice, values } = this;
    if (isNonNullType(type)) return this.#input(name, type.ofType);
    if (isListType(type)) return [this.#input(name, type.ofType)];
    if (isEnumType(type)) return dice.pick(type.getValues()).name;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter((field) => isNonNullType(field.type) || dice.chance(0.4));
      return Object.fromEntries(fields.map((field) => [field.name, this.#input(field.name, field.type)]));
    }
    if (name === 'after') return values.text('code');
    if (name === 'idempotencyKey') return `g-${dice.below(100_000)}`;
    switch (type.name) {
      case 'Int':
        return 1 + dice.below(3);
      case 'Float':
        return dice.below(10) / 2;
      case 'Boolean':
        return dice.chance(0.5);
      case 'Eth':
      case 'Wei':
        return values.text('price');
      case 'DateTime':
        return values.text('time');
      default:
        // `values.text` chooses the text by a name. `walletAddress` keeps its name, because the wallet must often be the caller's.
        return values.text(type.name === 'Hash' ? 'hash' : type.name === 'Address' && name !== 'walletAddress' ? 'wallet' : name);
    }
  }

  /** Spoils a document: it gets an error of syntax, is too large or costly, or does not fit the schema. */
  #spoiled(text: string): string {
    const { dice } = this;
    const at = dice.below(text.length);
    return dice.pick([
      () => text.slice(0, at) + text.slice(at + 1),
      () => `${text.slice(0, at)}${this.values.hostileText()}${text.slice(at)}`,
      () => text.replace('{', '{ '.repeat(200)),
      () => text.replaceAll('__typename', 'nothing'),
      () => `${text} ${text}`,
      () => `${text.replace('{', '{ ...F ')} fragment F on Query { ...F }`,
      () => text.replace('{', `{ ${Array.from({ length: 300 }, (_, i) => `a${i}: __typename`).join(' ')} `),
      () => text.replace('{', '@skip(if: $missing) {'),
      () => '{ __schema { types { fields { type { fields { type { name } } } } } } }',
      () => `#${'x'.repeat(19_000)}\n${text}`,
    ])();
  }
}

/** Writes a value as a literal of GraphQL. `type` tells whether a string is the name of an enum value, which has no quotes. */
function literal(value: unknown, type: GraphQLInputType | undefined): string {
  if (type !== undefined && isNonNullType(type)) return literal(value, type.ofType);
  if (isEnumType(type)) return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, undefined)).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = isInputObjectType(type) ? type.getFields() : {};
    const entries = Object.entries(value).filter(([name]) => /^\w+$/.test(name));
    return `{${entries.map(([name, item]) => `${name}: ${literal(item, fields[name]?.type)}`).join(', ')}}`;
  }
  return JSON.stringify(value);
}
