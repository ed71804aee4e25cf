import type { z } from 'zod';
import type { Config } from '../../config.js';
import type { Deps } from '../../deps.js';
import type { ErrorCode } from '../../errors.js';
import type { Actor } from '../access/authenticate.js';
import type { LimitRow } from '../access/limit-rows.js';
import type { Spend } from '../access/rate-limit.js';

/**
 * Whether the answer depends on a key: never, if one is sent, or always. A key that is sent is judged and counts in its
 * limits in all cases.
 */
export type Auth = 'none' | 'optional' | 'required';

/**
 * `public`: to a caller without a key it answers all alike, so the answer may be given to others for a second.
 * `never`: it is made for each caller. What needs a key is never kept.
 */
export type Caching<A extends Auth> = A extends 'required' ? 'never' : 'public' | 'never';

type Fields = z.ZodObject;
type Parsed<F> = F extends Fields ? z.output<F> : Record<never, never>;

export type Call<A extends Auth, P, Q, B> = {
  readonly actor: A extends 'required' ? Actor : A extends 'optional' ? Actor | null : null;
  /** The client's address, as TRUST_PROXY has it. */
  readonly ip: string;
  /** Takes the endpoint's own limits. The use case of a write calls it just before its effect. */
  readonly spend: Spend;
  readonly params: Parsed<P>;
  readonly query: Parsed<Q>;
  readonly body: Parsed<B>;
};

/** Known of a call before its input is parsed: what a limit may depend on. */
export type Caller = { readonly actor: Actor | null; readonly params: Readonly<Record<string, string>> };

export type ExampleCall = {
  readonly summary?: string;
  readonly request?: Record<string, unknown>;
  readonly response: Record<string, unknown>;
};

/** One endpoint, declared once: the router, validation, limits, OpenAPI document and tests come from it. */
export type Endpoint<
  A extends Auth = Auth,
  P extends Fields | undefined = Fields | undefined,
  Q extends Fields | undefined = Fields | undefined,
  B extends Fields | undefined = Fields | undefined,
  O extends Fields = Fields,
> = (
  | { readonly method: 'GET'; readonly cache: Caching<A> }
  | { readonly method: 'POST' | 'PATCH' | 'DELETE'; readonly cache?: never }
) & {
  /** As in OpenAPI: `/api/agents/{address}`. */
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly auth: A;
  /** Besides the global limit; 'global' if there is no other. */
  readonly limit: 'global' | readonly LimitRow[] | ((caller: Caller) => readonly LimitRow[]);
  /** The operator has taken it out of service: it answers 410, whoever calls. */
  readonly retired?: (config: Config) => boolean;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** The body is a JSON-RPC call: it may nest 6 levels, and its numbers have any form. */
  readonly jsonRpc?: true;
  /** The body of success, `success` itself left out, in the order of its fields. */
  readonly output: O;
  readonly status?: 201;
  /** What it can answer besides the common ones (input, key, limits, 500). */
  readonly errors: readonly ErrorCode[];
  readonly example?: ExampleCall;
  /** Answers of another form; `example` then needs a summary, too. */
  readonly moreExamples?: readonly (ExampleCall & { readonly summary: string })[];
  handle(deps: Deps, call: Call<A, P, Q, B>): Promise<z.input<O>>;
};

/** Gives an endpoint its types; the list of a face holds them all alike. */
export function endpoint<
  const A extends Auth,
  O extends Fields,
  P extends Fields | undefined = undefined,
  Q extends Fields | undefined = undefined,
  B extends Fields | undefined = undefined,
>(declaration: Endpoint<A, P, Q, B, O>): Endpoint {
  return declaration as unknown as Endpoint;
}
