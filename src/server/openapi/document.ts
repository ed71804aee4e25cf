import type { ErrorCode } from '../../errors.js';
import type { LimitRow } from '../access/rate-limit.js';
import type { JsonSchema } from '../json-schema.js';

// Types of the parts of an OpenAPI document that this service generates and shows.

/** Addresses of the service and of its chain. */
export type Place = {
  readonly url: string;
  readonly chainId: number;
  readonly contract?: string;
  /** RPC URL of the chain. Absent if the URL is not public. */
  readonly rpcUrl?: string;
};
type Content = { readonly 'application/json': { readonly schema: JsonSchema; readonly example?: object } };
export type Reference = { readonly $ref: string };
type Example = Reference | Sample;
export type Sample = { readonly summary: string; readonly value: Readonly<Record<string, unknown>> };
export type Answer = { readonly description: string; readonly headers: object; readonly content?: AnswerContent };
type AnswerContent = {
  readonly 'application/json': Content['application/json'] & { readonly examples?: Readonly<Record<string, Example>> };
};
export type CodeSample = { readonly lang: string; readonly label: string; readonly source: string };
export type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: true;
  readonly security: readonly object[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly deprecated?: boolean;
    readonly schema: JsonSchema;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer | Reference>>;
  /** The codes of the errors by status. `components.examples` has an example of each code. */
  readonly 'x-errors': Readonly<Record<string, readonly ErrorCode[]>>;
  /** The first is curl. */
  readonly 'x-codeSamples': readonly [CodeSample, ...CodeSample[]];
  readonly 'x-rate-limit'?: readonly Pick<LimitRow, 'name' | 'max' | 'seconds' | 'per'>[];
};
export type Document = {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>> & { readonly summary: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, object>> & {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly examples: Readonly<Record<string, Sample>>;
    readonly responses: Readonly<Record<string, Answer>>;
  };
};
