import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { checkParts, costOf } from '../../../src/server/graphql/cost.js';
import { drawBytes } from '../seed.js';

export type RandomDocument = { readonly text: string; readonly variables: Readonly<Record<string, unknown>> };

/** Values for arguments, by the name of the argument. Arguments whose name is not listed take those of their type. */
export type Samples = Readonly<Record<string, readonly unknown[]>>;

type Options = {
  readonly samples: Samples;
  /** Fields and arguments that no document may contain, as `Type.field` or `argument`. */
  readonly without: ReadonlySet<string>;
  /** Receives each field that a document selects, as `Type.field`. */
  readonly selected: Set<string>;
};

const below = (count: number): number => drawBytes(4).readUInt32BE() % count;
const chance = (percent: number): boolean => below(100) < percent;
const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;

/** Makes a valid document with aliases, fragments, conditions, variables and interfaces that the limits of documents allow. */
export function randomDocument(schema: GraphQLSchema, options: Options): RandomDocument {
  for (;;) {
    const maker = new Maker(schema, options);
    const made = maker.make();
    const document = parse(made.text);
    try {
      checkParts(document);
      costOf(schema, document, undefined, made.variables);
    } catch {
      continue;
    }
    if (validate(schema, document).length > 0) continue;
    for (const field of maker.selected) options.selected.add(field);
    return made;
  }
}

/** Makes a random document, which may exceed the limits. `randomDocument` then tries again. */
class Maker {
  readonly selected: string[] = [];
  readonly #fragments: string[] = [];
  readonly #variables: Record<string, unknown> = {};
  readonly #declared: string[] = [];
  /** Number of unique names that the document already contains. */
  #names = 0;
  /** Whether the document may have `@skip` and `@include`. */
  readonly #hasConditions = chance(40);
  /** Whether texts and lists may be literals. Otherwise they are variables. */
  readonly #hasLiterals = chance(50);

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly options: Options,
  ) {}

  make(): RandomDocument {
    const query = this.schema.getQueryType() as GraphQLNamedType;
    // A depth of 3 to 6 fields, and one or two fields of Query.
    const set = this.#set(query, 3 + below(4), 1 + below(2));
    const declared = this.#declared.length > 0 ? `(${this.#declared.join(', ')})` : '';
    const text = `query Q${declared} ${set} ${this.#fragments.join(' ')}`;
    return { text, variables: this.#variables };
  }

  /**
   * A selection set with `count` fields or fragments, by default 1 to 4, and sometimes up to 12. A field may occur several times.
   */
  #set(type: GraphQLNamedType, depth: number, count = 1 + below(pick([4, 4, 12]))): string {
    const parts = Array.from({ length: count }, () => this.#part(type, depth));
    return `{ ${chance(20) ? '__typename ' : ''}${parts.join(' ')} }`;
  }

  #part(type: GraphQLNamedType, depth: number): string {
    if (type !== this.schema.getQueryType() && chance(isAbstractType(type) ? 50 : 15)) return this.#fragment(type, depth);
    const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
    const possible = fields.filter((field) => {
      const isLast = depth <= 1 && !isLeafType(getNamedType(field.type));
      return !isLast && !this.options.without.has(`${type.name}.${field.name}`);
    });
    // Prefers fields that no document has selected yet, so that the documents together cover the schema.
    const missing = possible.filter(({ name }) => !this.options.selected.has(`${type.name}.${name}`));
    const field = possible.length === 0 ? undefined : pick(missing.length > 0 && chance(80) ? missing : possible);
    if (field === undefined) return '__typename';
    this.selected.push(`${type.name}.${field.name}`);
    return this.#field(field, depth);
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const args = this.#arguments(field);
    const type = getNamedType(field.type);
    const set = isLeafType(type) ? '' : ` ${this.#set(type, depth - 1)}`;
    // Fields with the same name must have the same arguments, so a field with arguments gets an alias.
    const alias = args !== '' || chance(10) ? `${this.#name('a')}: ` : '';
    return `${alias}${field.name}${args}${this.#condition()}${set}`;
  }

  #fragment(type: GraphQLNamedType, depth: number): string {
    const types = isAbstractType(type) ? this.schema.getPossibleTypes(type) : [type];
    const interfaces = isObjectType(type) ? type.getInterfaces() : [];
    const on = chance(75) ? pick(types) : pick([type, ...interfaces]);
    const count = 1 + below(2);
    if (chance(10)) return `...${this.#condition()} ${this.#set(type, depth, count)}`;
    if (chance(50)) return `... on ${on.name}${this.#condition()} ${this.#set(on, depth, count)}`;
    const name = this.#name('F');
    this.#fragments.push(`fragment ${name} on ${on.name} ${this.#set(on, depth, count)}`);
    const spread = `...${name}${this.#condition()}`;
    return chance(20) ? `${spread} ...${name}` : spread;
  }

  #condition(): string {
    if (!this.#hasConditions || !chance(25)) return '';
    const name = this.#name('b');
    this.#declared.push(`$${name}: Boolean!`);
    this.#variables[name] = chance(50);
    return ` @${pick(['skip', 'include'])}(if: $${name})`;
  }

  #arguments({ args }: GraphQLField<unknown, unknown>): string {
    const given = args.flatMap(({ name, type, defaultValue }) => {
      const isRequired = isNonNullType(type) && defaultValue === undefined;
      if (this.options.without.has(name) || !(isRequired || name === 'first' || chance(25))) return [];
      return [`${name}: ${this.#value(name, type, defaultValue !== undefined)}`];
    });
    return given.length > 0 ? `(${given.join(', ')})` : '';
  }

  /** The value of an argument: a literal, or a variable, which may be null or missing where the argument allows it. */
  #value(name: string, type: GraphQLInputType, hasDefault: boolean): string {
    const value = this.#sample(name, type);
    const isText = typeof value === 'string' && !isEnumType(getNamedType(type));
    if (isText || isListType(getNullableType(type)) ? this.#hasLiterals && chance(50) : chance(60)) {
      return isEnumType(getNamedType(type)) ? String(value) : JSON.stringify(value);
    }
    const variable = this.#name('v');
    const isNullable = !isNonNullType(type) || hasDefault;
    const declared = isNullable ? String(type).replace(/!$/, '') : String(type);
    const literal = isText ? JSON.stringify(value) : String(value);
    const hasLiteral = !isListType(getNullableType(type)) && chance(20);
    this.#declared.push(`$${variable}: ${declared}${hasLiteral ? ` = ${literal}` : ''}`);
    if (isNullable && chance(15)) this.#variables[variable] = null;
    else if (!(isNullable && chance(20)) && !(hasLiteral && chance(50))) this.#variables[variable] = value;
    return `$${variable}`;
  }

  #sample(name: string, type: GraphQLInputType): unknown {
    const named = getNamedType(type);
    const { samples } = this.options;
    if (isEnumType(named)) return pick(named.getValues()).name;
    const value = pick(samples[name] ?? samples[named.name] ?? []);
    if (value === undefined) throw new Error(`no sample of ${name}: ${type}`);
    return isListType(getNullableType(type)) ? [value, pick(samples[name] ?? [])] : value;
  }

  #name(prefix: string): string {
    this.#names += 1;
    return `${prefix}${chance(20) ? '_' : ''}${this.#names}`;
  }
}
