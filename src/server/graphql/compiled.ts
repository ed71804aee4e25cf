import {
  type DocumentNode,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  TypeNameMetaFieldDef,
  visit,
} from 'graphql';
// graphql-js does not export these functions as public API. They collect the fields of a query exactly as its execution does.
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import * as graphqlJs from 'graphql/execution/execute.js';
import type { GraphContext } from './context.js';

/** Maximum number of fields in a plan. The fields of an interface count once for each type that implements it. */
const MAX_FIELDS = 1000;

/**
 * Maximum number of plans of a query; the oldest is evicted. Each combination of values of the variables in directives has a plan.
 */
const MAX_PLANS = 4;

type Request = graphqlJs.ExecutionContext;
type Data = Record<string, unknown>;
/** Converts a value that is not a promise to its form in the answer. Throws where graphql-js would report an error. */
type Complete = (value: unknown, execution: Execution) => unknown;
type Read = (source: Data, execution: Execution) => unknown;
type Call = { readonly args: Data; readonly info: GraphQLResolveInfo };
type Field = { readonly key: string; readonly read: Read; readonly complete: Complete };
type Groups = ReadonlyMap<string, readonly FieldNode[]>;
type Path = GraphQLResolveInfo['path'];

/** Executes a query. null if the answer has an error: then graphql-js executes the query again, and reports the error. */
export type Execute = (context: GraphContext) => Promise<Data | null>;

/** A query compiled to plans, which makes it faster: graphql-js looks up fields, types and arguments again for each row. */
export class CompiledQuery {
  readonly #plans = new Map<string, Plan>();
  /** Names of the variables in directives, such as `$full` in `@include(if: $full)`. */
  readonly #conditions = new Set<string>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly document: DocumentNode,
    private readonly name: string | undefined,
  ) {
    visit(document, {
      Directive: ({ arguments: args = [] }) => {
        for (const { value } of args) if (value.kind === Kind.VARIABLE) this.#conditions.add(value.name.value);
      },
    });
  }

  /** Number of fields in all plans of the query. */
  get fields(): number {
    return [...this.#plans.values()].reduce((sum, { fields }) => sum + fields, 0);
  }

  /**
   * Returns a function that executes the query with these variables. undefined if graphql-js must execute it, because it refuses a
   * variable, or because a plan would be too long.
   */
  prepare(variableValues: Readonly<Data>): Execute | undefined {
    const { schema, document, name: operationName } = this;
    const request = graphqlJs.buildExecutionContext({ schema, document, operationName, variableValues });
    if (!('schema' in request)) return undefined;
    const { root } = this.#planFor(request);
    return root && ((context) => new Execution(request, context).run(root));
  }

  #planFor(request: Request): Plan {
    const key = JSON.stringify([...this.#conditions].map((name) => request.variableValues[name]));
    const plan = this.#plans.get(key) ?? new Plan(request);
    const [oldest] = this.#plans.keys();
    if (oldest !== undefined && this.#plans.size === MAX_PLANS && !this.#plans.has(key)) this.#plans.delete(oldest);
    this.#plans.set(key, plan);
    return plan;
  }
}

/**
 * One execution of a query. A promise puts its value into the answer when it resolves, so no object or list waits for its parts.
 */
class Execution {
  /** Arguments and info of each field, by its index in the plan. All rows share them. */
  readonly calls: Call[] = [];
  #hasFailed = false;
  /** Number of promises that are not settled, plus one while the synchronous part runs. */
  #running = 1;
  #end = (): void => {};

  constructor(
    readonly request: Request,
    readonly context: GraphContext,
  ) {}

  /** Waits for all promises, even after an error: nothing may still run when graphql-js then executes the query again. */
  async run(root: Complete): Promise<Data | null> {
    const answer: { data?: Data } = {};
    await new Promise<void>((resolve) => {
      this.#end = resolve;
      this.put(answer, 'data', root, undefined);
      this.#settle();
    });
    return this.#hasFailed ? null : (answer.data ?? null);
  }

  /** Puts a value into its place in the answer. After an error, it puts no more values, but still waits for promises. */
  put(target: object, key: string | number, complete: Complete, value: unknown): void {
    try {
      if (isPromise(value)) this.later(target, key, complete, value);
      else if (!this.#hasFailed) (target as Data)[key] = complete(value, this);
    } catch {
      this.#hasFailed = true;
    }
  }

  /** Like `put`, for a promise. The key gets undefined first, so that the keys of the answer are in the order of the query. */
  later(target: object, key: string | number, complete: Complete, promise: PromiseLike<unknown>): void {
    (target as Data)[key] = undefined;
    this.#running += 1;
    const put = (value: unknown) => {
      this.put(target, key, complete, value);
      this.#settle();
    };
    Promise.resolve(promise).then(put, () => put(GIVE_UP));
  }

  #settle(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#end();
  }
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as Data).then === 'function';

/** Stands for every error. Its message is never shown: graphql-js executes the query again, and reports the actual error. */
const GIVE_UP = new Error('graphql-js must execute the query');
const giveUp = (): never => {
  throw GIVE_UP;
};

/**
 * The fields of a query as closures, for one combination of the variables in directives. They do not reference the request, so that
 * a cached plan does not keep it in memory.
 */
class Plan {
  fields = 0;
  /** undefined if the plan would be too long, or if graphql-js refuses a directive. */
  readonly root: Complete | undefined;

  constructor(request: Request) {
    const { schema, fragments, variableValues, operation } = request;
    const type = schema.getQueryType() ?? undefined;
    try {
      const set = operation.selectionSet;
      this.root = type && this.#object(request, type, collectFields(schema, fragments, variableValues, type, set));
    } catch {
      this.fields = 0;
    }
  }

  #object(request: Request, type: GraphQLObjectType, groups: Groups, prev?: Path): Complete {
    if (type.isTypeOf) giveUp();
    const fields: Field[] = [];
    for (const [key, nodes] of groups) {
      this.fields += 1;
      if (this.fields > MAX_FIELDS) giveUp();
      const field = graphqlJs.getFieldDef(request.schema, type, nodes[0] as FieldNode) ?? giveUp();
      const place = new Place(this.fields, field, nodes, type, { prev, key, typename: type.name });
      const isName = field === TypeNameMetaFieldDef;
      const complete = isName ? same : this.#value(request, field.type, place);
      fields.push({ key, read: isName ? constant(type.name) : readerOf(place), complete });
    }
    return objectOf(fields);
  }

  #value(request: Request, type: GraphQLOutputType, place: Place): Complete {
    const nullable = getNullableType(type);
    const { schema, fragments, variableValues } = request;
    const object = (one: GraphQLObjectType) =>
      this.#object(request, one, collectSubfields(schema, fragments, variableValues, one, place.nodes), place.path);
    const isRequired = isNonNullType(type);
    if (isLeafType(nullable)) return checked(isRequired, leafOf(nullable));
    if (isListType(nullable)) return checked(isRequired, listOf(this.#value(request, nullable.ofType, place)));
    if (isObjectType(nullable)) return checked(isRequired, object(nullable));
    const objects = schema.getPossibleTypes(nullable).map((one) => [one.name, object(one)] as const);
    return checked(isRequired, abstractOf(nullable, new Map(objects), place));
  }
}

/** A field in a plan. */
class Place {
  constructor(
    readonly index: number,
    readonly field: GraphQLField<unknown, unknown>,
    readonly nodes: readonly FieldNode[],
    readonly type: GraphQLObjectType,
    /** Path of the field, without the indices of list items, because no resolver reads them. */
    readonly path: Path,
  ) {}

  /** Arguments and info, which all rows of an execution share. */
  callOf({ calls, request }: Execution): Call {
    const { index, field, nodes, type, path } = this;
    calls[index] ??= {
      args: getArgumentValues(field, nodes[0] as FieldNode, request.variableValues),
      info: graphqlJs.buildResolveInfo(request, field, nodes, type, path),
    };
    return calls[index];
  }
}

const constant = (value: unknown) => () => value;
const same = (value: unknown) => value;

/** Returns a function that calls the resolver of a field. Without one, it reads the property, as `defaultFieldResolver` does. */
function readerOf(place: Place): Read {
  const { name, resolve } = place.field;
  return (source, execution) => {
    const value = resolve ?? source[name];
    if (typeof value !== 'function') return value;
    const { args, info } = place.callOf(execution);
    return resolve ? resolve(source, args, execution.context, info) : value.call(source, args, execution.context, info);
  };
}

function objectOf(fields: readonly Field[]): Complete {
  // V8 stores the objects of a class compactly. Without Object.prototype, `__proto__` is a key like any other.
  class Answer {
    [key: string]: unknown;
  }
  Object.setPrototypeOf(Answer.prototype, null);
  return (source, execution) => {
    if (typeof source !== 'object' && source !== undefined) giveUp();
    const answer = new Answer();
    for (const { key, read, complete } of fields) {
      const value = read(source as Data, execution);
      if (isPromise(value)) execution.later(answer, key, complete, value);
      else answer[key] = complete(value, execution);
    }
    return answer;
  };
}

function checked(isRequired: boolean, complete: Complete): Complete {
  return (value, execution) => {
    if (value === null || value === undefined) return isRequired ? giveUp() : null;
    return value instanceof Error ? giveUp() : complete(value, execution);
  };
}

function leafOf(type: GraphQLLeafType): Complete {
  return (value) => type.serialize(value) ?? giveUp();
}

function listOf(complete: Complete): Complete {
  return (list, execution) => {
    if (typeof list !== 'object') giveUp();
    const answer: unknown[] = [];
    let index = 0;
    for (const item of list as Iterable<unknown>) execution.put(answer, index++, complete, item);
    return answer;
  };
}

function abstractOf(type: GraphQLAbstractType, objects: ReadonlyMap<unknown, Complete>, place: Place): Complete {
  const { resolveType } = type;
  return (value, execution) => {
    const name = resolveType?.(value, execution.context, place.callOf(execution).info, type);
    const complete = objects.get(name) ?? giveUp();
    return complete(value, execution);
  };
}
