import type { z } from 'zod';
import type { Deps } from '../../deps.js';
import type { Actor } from '../access/authenticate.js';
import type { LimitRow } from '../access/limit-rows.js';
import type { Spend } from '../access/rate-limit.js';

/** Whether the tool needs a key: `none` ignores it, `optional` answers more with a key, `required` refuses calls without one. */
type Auth = 'none' | 'optional' | 'required';

type Fields = z.ZodObject;

export type ToolCall<A extends Auth = Auth, I extends Fields = Fields> = {
  readonly actor: A extends 'required' ? Actor : A extends 'optional' ? Actor | null : null;
  /** Counts the call in the tool's own limits. The command of a write calls it just before its effect. */
  readonly spend: Spend;
  readonly args: z.output<I>;
};

/** The structured content of a result, in the form of `output`. */
export type Output = Readonly<Record<string, unknown>>;

/** One tool, declared once. The list of tools, their JSON Schemas, checks, limits and tests are derived from it. */
export type Tool<A extends Auth = Auth, I extends Fields = Fields, R = unknown> = {
  readonly name: string;
  readonly title: string;
  /** What a model must know to choose and to call the tool. */
  readonly description: string;
  readonly auth: A;
  /** Limits of the tool, in addition to the global one. They share their windows with REST. */
  readonly limits:
    | readonly LimitRow[]
    | ((actor: Actor | null, args: Readonly<Record<string, unknown>>) => readonly LimitRow[]);
  readonly input: I;
  /** Structured content of a result. */
  readonly output: Fields;
} & (
  | {
      readonly effect: 'read' | 'marks-as-read';
      /** `public`: all callers without a key get the same result, so it is cached for one second. `never`: it is computed for each call. */
      readonly cache: A extends 'required' ? 'never' : 'public' | 'never';
      read(deps: Deps, call: ToolCall<A, I>): Promise<Output>;
    }
  | {
      /** `adds`: only adds something. `replaces`: may also remove what was there before. */
      readonly effect: 'adds' | 'replaces';
      /** Whether a repeated call changes nothing more, also without an idempotency key. */
      readonly idempotent: boolean;
      /** Executes the write. */
      write(deps: Deps, call: ToolCall<A, I>): Promise<R>;
      /** Makes the answer from the result of the write. It is called before the write is committed, so it must not wait. */
      answer(result: R, call: ToolCall<A, I>): Output;
    }
);

export type WriteTool = Extract<Tool, { readonly idempotent: boolean }>;
export type ReadTool = Exclude<Tool, WriteTool>;

export const isWrite = (declared: Tool): declared is WriteTool => 'write' in declared;

/** Type-checks a declaration and erases its type parameters, so that all tools fit into one list. */
export const tool = <const A extends Auth, I extends Fields, R = unknown>(declaration: Tool<A, I, R>): Tool =>
  declaration as unknown as Tool;
