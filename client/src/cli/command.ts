import type { Exit } from './exit-codes.js';
import type { Session } from './session.js';

export type Option = {
  readonly type: 'string' | 'boolean';
  readonly summary: string;
  /** Placeholder of the option's value in the help. */
  readonly value?: string;
};

export type Values = Readonly<Record<string, string | boolean | undefined>>;
export type Call = {
  readonly session: Session;
  readonly args: readonly string[];
  readonly values: Values;
  readonly json: boolean;
  readonly dryRun: boolean;
};

/** What a command answers: the object that --json prints, and the lines for people. */
export type Output = { readonly data: object; readonly text: string; readonly exit?: Exit };

/** A command of the command line. The parser, the help and the completion are all derived from this declaration. */
export type Command = {
  /** The arguments, as the help shows them. `<…>` is required, `[…]` is optional. */
  readonly usage: string;
  readonly summary: string;
  readonly args: readonly [min: number, max: number];
  readonly options?: Readonly<Record<string, Option>>;
  readonly examples: readonly string[];
  /**
   * Runs the command. Returns its output, or undefined if it has none. A command with several outputs yields them one
   * after the other.
   */
  run(call: Call): Promise<Output | undefined> | AsyncIterable<Output>;
  /** Runs after the output has been printed. */
  after?(call: Call, output: Output): Promise<void>;
};

/** The value of a string option. undefined if the option was not given. */
export const text = (value: string | boolean | undefined): string | undefined => (typeof value === 'string' ? value : undefined);
