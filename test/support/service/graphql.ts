import { freshIp } from '../market/agents.js';
import type { Answer, World } from '../world.js';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of many shapes.
export type Json = any;

export type GraphAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly data: Json;
  readonly errors: { message: string; path?: (string | number)[]; extensions: Record<string, unknown> }[];
};

type Options = {
  readonly key?: string;
  readonly variables?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
};

/** Sends one GraphQL request over POST from an unused IP address. */
export async function query(world: World, text: string, options: Options = {}): Promise<GraphAnswer> {
  const { key, variables, headers } = options;
  return answerOf(
    await world.ask('POST', '/graphql', {
      key,
      headers: { ...freshIp(), ...headers },
      body: { query: text, ...(variables ? { variables } : {}) },
    }),
  );
}

export const answerOf = ({ status, headers, body }: Answer): GraphAnswer => ({
  status,
  headers,
  data: body.data,
  errors: (body.errors as GraphAnswer['errors']) ?? [],
});

/** Returns the data of an answer, and throws if the request failed. */
export async function data(world: World, text: string, options: Options = {}) {
  const answer = await query(world, text, options);
  if (answer.errors.length > 0 || answer.status !== 200) {
    throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.errors)}`);
  }
  return answer.data;
}

/** Describes an answer as status and code of its first error on one line. */
export const refusalOf = ({ status, errors }: GraphAnswer): string => `${status} ${errors[0]?.extensions.code}`;

/** Points of query cost that an address (`POINTS`) and an API key (`POINTS_OF_KEY`) may spend per minute. */
export const POINTS = 60_000;
export const POINTS_OF_KEY = 120_000;

/** The points of query cost that an answer leaves in the window of its caller. */
export const pointsLeft = ({ headers }: { readonly headers: Headers }): number =>
  Number(/"graphql";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

/** The query cost of a document, measured by what an unused address pays for it. */
export const costOf = async (world: World, text: string, variables?: Record<string, unknown>): Promise<number> =>
  POINTS - pointsLeft(await query(world, text, { variables }));
