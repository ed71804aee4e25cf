import { z } from 'zod';
import type { Config } from '../config/config.js';
import type { ErrorCode } from '../errors/errors.js';
import type { Actor } from '../keys.js';
import type { Auth, Ctx, UseCase } from '../use-case.js';
import { type Names, renamed } from './inputs.js';
import type { LimitRow } from './rate-limits.js';

type Fields = z.ZodObject;
/** Schema of an answer. It takes the rows that the operation returns, and converts them to an object. */
type Answer = z.ZodType<Readonly<Record<string, unknown>>>;
type Given = Readonly<Record<string, unknown>>;
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export type ExampleCall = {
  readonly summary?: string;
  readonly request?: Record<string, unknown>;
  readonly response: Record<string, unknown>;
};

/** Code samples for OpenAPI: a call of the client library and a GraphQL document that do the same as the endpoint. */
export type Samples = { readonly client?: string; readonly graphql?: string };

/** A read. `handle` returns rows, from which REST and MCP each make their answers. */
type Read<A extends Auth, Input, Result> = {
  handle(ctx: Ctx<A>, input: Input): Promise<Result>;
  /**
   * `public`: all callers without a key get the same answer, so it is cached for one second. `never`: the answer is
   * computed for each call. Answers that need a key are never cached. @default never
   */
  readonly cache?: A extends 'required' ? 'never' : 'public' | 'never';
};

type Core<A extends Auth, Output extends Answer> = {
  readonly auth: A;
  /**
   * Limits of the operation, in addition to the global one. REST, MCP and GraphQL count in the same windows. 'global': there are no
   * others. Outside /api, this only documents the limits, and `limitOutside` counts by `Feature.limits`.
   */
  readonly limit: 'global' | readonly LimitRow[] | ((actor: Actor | null, given: Given) => readonly LimitRow[]);
  /** Schema of the answer, with its fields in order. REST adds the field `success` in front. */
  readonly output: Output;
};

/** The part of an operation that only REST needs. */
type Rest<Output extends Answer> = {
  /** Method, and path in OpenAPI notation: `GET /api/agents/{address}`. */
  readonly rest: `${Method} /${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Errors in addition to the common ones (input, key, limits, 500). @default none */
  readonly errors?: readonly ErrorCode[];
  readonly status?: 201;
  /** Names of query parameters that do not apply to this caller. They are ignored, even with invalid values. @default none */
  readonly ignored?: (actor: Actor | null, path: Given) => readonly string[];
  /** Whether the operator has retired the endpoint. A retired endpoint answers 410. */
  readonly retired?: (config: Config) => boolean;
  /** The body is a JSON-RPC call, so it may nest 6 levels instead of 3, and its numbers may have any JSON format. */
  readonly jsonRpc?: true;
  /**
   * Text that identifies the content of a private answer. The answer then has a weak ETag, and a request with this ETag gets 304.
   * The text contains all values of the answer except those that change with time alone.
   */
  etagText?(output: z.output<Output>): string;
  readonly samples?: Samples;
  readonly example?: ExampleCall;
  /** Examples of answers in another form. With them, `example` needs a summary, too, because summaries name the examples. */
  readonly moreExamples?: readonly (ExampleCall & { readonly summary: string })[];
};

/** The part of an operation that only MCP needs: its tool. */
type ToolDeclaration<Input extends Fields = Fields> = {
  readonly name: string;
  readonly title: string;
  /** What a model must know to choose and to call the tool. */
  readonly description: string;
  /** What a call changes. `adds`: it only adds something. `replaces`: it may also remove what was there. @default read */
  readonly effect?: 'read' | 'marks-as-read' | 'adds' | 'replaces';
  /** false: a repeated call without an idempotency key changes something again. @default true */
  readonly idempotent?: false;
  /** Fields of the tool's arguments. @default the fields of the input */
  readonly args?: Fields & z.ZodType<z.output<Input>>;
  /** Maps the names of fields to the names of their arguments. @default the names of the fields */
  readonly names?: Names<keyof z.input<Input> & string>;
  /** Schema of the tool's result, if it differs from the answer of REST. */
  readonly output?: Fields;
};

type Work<A extends Auth, Input, Prepared, Result> = Read<A, Input, Result> | UseCase<A, Input, Prepared, Result>;

/** The route of an operation. Its input is split into path, query and body. */
type Route = {
  readonly method: Method;
  readonly path: `/${string}`;
  readonly errors: readonly ErrorCode[];
  readonly params?: Fields;
  readonly query?: Fields;
  readonly body?: Fields;
};

/**
 * An operation, declared once. Routes, tools, mutations, checks, limits, documents and tests are derived from it. Functions that
 * take the actor, the input or the rows are declared as methods: TypeScript compares parameters of methods loosely, so an operation
 * with narrower types fits into a list of operations.
 */
export type Operation<Input extends Fields = Fields, Result = unknown> = Core<Auth, Answer> & {
  readonly input: Input;
  readonly tool?: ToolDeclaration & { readonly args: Fields };
} & Partial<Rest<Answer> & Route> &
  Work<Auth, z.output<Input>, unknown, Result>;

export type ReadOperation = Extract<Operation, { handle: unknown }>;
export type Tool = Operation & Required<Pick<Operation, 'tool'>>;

/** An operation with a route. */
export type Endpoint<Input extends Fields = Fields, Result = unknown> = Operation<Input, Result> & Rest<Answer> & Route;

export const isRead = (declared: Operation): declared is ReadOperation => 'handle' in declared;
export const isEndpoint = (declared: Operation): declared is Endpoint => declared.path !== undefined;
export const isTool = (declared: Operation): declared is Tool => declared.tool !== undefined;

/** Whether all callers without a key get the same answer, which is then cached for one second. */
export const isPublic = (declared: Operation): boolean => isRead(declared) && declared.cache === 'public';

export const hasEtag = (declared: Operation): boolean => isPublic(declared) || declared.etagText !== undefined;

/** An operation as its feature declares it. */
type Declaration<A extends Auth, Input extends Fields, Output extends Answer, Prepared, Result> = Core<A, Output> & {
  readonly input: Input;
} & Work<A, z.output<Input>, Prepared, Result>;

/** An operation with an endpoint as its feature declares it. */
type EndpointDeclaration<A extends Auth, Input extends Fields, Output extends Answer, Prepared, Result> = Rest<Output> &
  Declaration<A, Input, Output, Prepared, Result> & { readonly tool?: ToolDeclaration<Input> };

/** Declares an endpoint, with or without a tool. */
export function operation<
  const A extends Auth,
  Input extends Fields,
  Output extends Answer,
  Result extends z.input<Output>,
  Prepared = unknown,
>(declared: EndpointDeclaration<A, Input, Output, Prepared, Result>): Endpoint<Input, Result> {
  const { input, rest, tool } = declared;
  const [method, path] = rest.split(' ') as [Method, `/${string}`];
  const place = ([name]: [string, unknown]) => (path.includes(`{${name}}`) ? 'inPath' : 'others');
  const { inPath, others } = Object.groupBy(Object.entries<Answer>(input.shape), place);
  const [params, sent] = [partOf(inPath), partOf(others)];
  const split = { params, ...(method === 'GET' ? { query: sent } : { body: sent }) };
  return { errors: [], ...declared, tool: tool && toolOf(tool, input), method, path, ...split };
}

/** Adds `args` to the declaration of a tool: the fields of its arguments, under the names of the arguments. */
const toolOf = (tool: ToolDeclaration, input: Fields) => ({ ...tool, args: renamed(tool.args ?? input, tool.names) });

const partOf = (fields: [name: string, field: z.ZodType][] | undefined): Fields | undefined =>
  fields && z.object(Object.fromEntries(fields));

/** Declares an operation without an endpoint: only a tool, or only a mutation. */
export function unrouted<
  const A extends Auth,
  Input extends Fields,
  Output extends Answer,
  Result extends z.input<Output>,
  Prepared = unknown,
>(
  declared: Declaration<A, Input, Output, Prepared, Result> & {
    readonly tool?: Omit<ToolDeclaration<Input>, 'args' | 'output'>;
  },
): Operation<Input, Result> {
  const { input, tool } = declared;
  return { ...declared, tool: tool && toolOf(tool, input) };
}
