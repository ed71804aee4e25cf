import type { z } from 'zod';
import type { Config } from '../../config.js';
import type { Deps } from '../../deps.js';
import type { ErrorCode } from '../../errors.js';
import type { Actor } from '../access/authenticate.js';
import type { LimitRow } from '../access/limit-rows.js';
import type { Spend } from '../access/rate-limit.js';

/**
 * Whether the endpoint needs a key: `none` ignores it in the answer, `optional` answers more with a key, `required`
 * refuses requests without one. A key that is sent is always checked and always counts in its own limits.
 */
export type Auth = 'none' | 'optional' | 'required';

/**
 * `public`: all callers without a key get the same answer, so it is cached for one second. `never`: the answer is
 * computed for each request. Answers that need a key are never cached.
 */
export type Caching<A extends Auth> = A extends 'required' ? 'never' : 'public' | 'never';

type Fields = z.ZodObject;
type Parsed<F> = F extends Fields ? z.output<F> : Record<never, never>;

export type Call<A extends Auth, P, Q, B> = {
  readonly actor: A extends 'required' ? Actor : A extends 'optional' ? Actor | null : null;
  /** The client's IP address, as determined by TRUST_PROXY. */
  readonly ip: string;
  /** Counts the request in the endpoint's own limits. The command of a write calls it just before its effect. */
  readonly spend: Spend;
  readonly params: Parsed<P>;
  readonly query: Parsed<Q>;
  readonly body: Parsed<B>;
};

/** A call of an endpoint whose types were erased. */
export type AnyCall = Call<Auth, Fields | undefined, Fields | undefined, Fields | undefined>;

/** The part of a call that is available before its input is parsed. Limits may depend on it. */
export type Caller = { readonly actor: Actor | null; readonly params: Readonly<Record<string, string>> };

export type ExampleCall = {
  readonly summary?: string;
  readonly request?: Record<string, unknown>;
  readonly response: Record<string, unknown>;
};

/** One endpoint, declared once. Router, validation, limits, OpenAPI document and tests are derived from it. */
export type Endpoint<
  A extends Auth = Auth,
  P extends Fields | undefined = Fields | undefined,
  Q extends Fields | undefined = Fields | undefined,
  B extends Fields | undefined = Fields | undefined,
  O extends Fields = Fields,
  R = unknown,
> = (
  | {
      readonly method: 'GET';
      readonly cache: Caching<A>;
      handle(deps: Deps, call: Call<A, P, Q, B>): Promise<z.input<O>>;
      /**
       * Text that identifies the content of a private answer. The answer then has a weak ETag, and a request with this ETag
       * gets 304. The text contains everything but values that change with time alone.
       */
      readonly identity?: (output: z.input<O>) => string;
    }
  | {
      readonly method: 'POST' | 'PATCH' | 'DELETE';
      readonly cache?: never;
      /** Executes the write. */
      run(deps: Deps, call: Call<A, P, Q, B>): Promise<R>;
      /** Makes the answer from the result of the write. It is called before the write is committed, so it must not wait. */
      answer(result: R, call: Call<A, P, Q, B>): z.input<O>;
    }
) & {
  /** Path in OpenAPI notation: `/api/agents/{address}`. */
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly auth: A;
  /** Limits of the endpoint, in addition to the global one. 'global' if there are no others. */
  readonly limit: 'global' | readonly LimitRow[] | ((caller: Caller) => readonly LimitRow[]);
  /** Whether the operator has retired the endpoint. A retired endpoint answers 410. */
  readonly retired?: (config: Config) => boolean;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** The body is a JSON-RPC call: it may nest 6 levels and contain any number format. */
  readonly jsonRpc?: true;
  /** The body of a successful answer without the field `success`, in the order of its fields. */
  readonly output: O;
  readonly status?: 201;
  /** Errors in addition to the common ones (input, key, limits, 500). */
  readonly errors: readonly ErrorCode[];
  readonly example?: ExampleCall;
  /** Examples of answers in another form. `example` then needs a summary, too. */
  readonly moreExamples?: readonly (ExampleCall & { readonly summary: string })[];
};

export type ReadEndpoint = Extract<Endpoint, { readonly method: 'GET' }>;
export type WriteEndpoint = Exclude<Endpoint, ReadEndpoint>;

/** Whether answers have an ETag. */
export const hasEtag = (declared: Endpoint): boolean =>
  declared.method === 'GET' && (declared.cache === 'public' || declared.identity !== undefined);

/** Type-checks a declaration and erases its type parameters, so that all endpoints fit into one list. */
export function endpoint<
  const A extends Auth,
  O extends Fields,
  P extends Fields | undefined = undefined,
  Q extends Fields | undefined = undefined,
  B extends Fields | undefined = undefined,
  R = unknown,
>(declaration: Endpoint<A, P, Q, B, O, R>): Endpoint {
  return declaration as unknown as Endpoint;
}
