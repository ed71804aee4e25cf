import { z } from 'zod';
import type { Config } from '../config/config.js';
import type { ErrorCode } from '../errors/errors.js';
import type { Actor } from '../keys.js';
import type { Auth, Ctx, UseCase } from '../use-case.js';
import { type Names, renamed } from './inputs.js';
import type { LimitRow } from './rate-limits.js';

type Fields = z.ZodObject;
/** A schema that takes rows and makes an object. */
type Answer = z.ZodType<Readonly<Record<string, unknown>>>;
type Given = Readonly<Record<string, unknown>>;
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export type ExampleCall = {
  readonly summary?: string;
  readonly request?: Record<string, unknown>;
  readonly response: Record<string, unknown>;
};

/** A call of the client and a GraphQL document that do the same as an endpoint. */
export type Samples = { readonly client?: string; readonly graphql?: string };

/** A read. The answer is made from the rows that it returns, in the form of each API. */
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
   * Limits of the operation, in addition to the global one. All APIs share their windows. 'global' if there are no others. Outside
   * /api, `Feature.limits` counts them.
   */
  readonly limit: 'global' | readonly LimitRow[] | ((actor: Actor | null, given: Given) => readonly LimitRow[]);
  /** The answer, in the order of its fields. REST adds the field `success`. */
  readonly output: Output;
};

/** An operation as REST serves it. */
type Rest<Output extends Answer> = {
  /** Method, and path in OpenAPI notation: `GET /api/agents/{address}`. */
  readonly rest: `${Method} /${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Errors in addition to the common ones (input, key, limits, 500). @default none */
  readonly errors?: readonly ErrorCode[];
  readonly status?: 201;
  /** Query parameters that do not apply to this caller: they are ignored, whatever their values are. @default none */
  readonly ignored?: (actor: Actor | null, path: Given) => readonly string[];
  /** Whether the operator has retired the endpoint. A retired endpoint answers 410. */
  readonly retired?: (config: Config) => boolean;
  /** The body is a JSON-RPC call: it may nest 6 levels and contain any number format. */
  readonly jsonRpc?: true;
  /**
   * Text that identifies the content of a private answer. The answer then has a weak ETag, and a request with this ETag
   * gets 304. The text contains everything but values that change with time alone.
   */
  etagText?(output: z.output<Output>): string;
  readonly samples?: Samples;
  readonly example?: ExampleCall;
  /** Examples of answers in another form. `example` then needs a summary, too. */
  readonly moreExamples?: readonly (ExampleCall & { readonly summary: string })[];
};

/** An operation as MCP serves it. */
type ToolDeclaration<Input extends Fields = Fields> = {
  readonly name: string;
  readonly title: string;
  /** What a model must know to choose and to call the tool. */
  readonly description: string;
  /** `adds`: only adds something. `replaces`: may also remove what was there before. @default read */
  readonly effect?: 'read' | 'marks-as-read' | 'adds' | 'replaces';
  /** Whether a repeated call changes nothing more, also without an idempotency key. @default true */
  readonly idempotent?: false;
  /** The fields of the arguments. @default those of the input */
  readonly args?: Fields & z.ZodType<z.output<Input>>;
  /** Names of arguments, by those of their fields. @default the names of the fields */
  readonly names?: Names<keyof z.input<Input> & string>;
  /** The result, if it differs from the answer of REST. */
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
 * An operation, declared once. Routes, tools, mutations, checks, limits, documents and tests are derived from it. What depends on its
 * key, input and rows are methods: TypeScript lets their parameters be narrower than those of an operation in a list.
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

/** Whether all callers without a key get the same answer for a second. */
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

/** The tool with its arguments. */
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
