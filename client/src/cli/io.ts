import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { CurvetError } from '../errors.js';
import type { Clock } from '../http/clock.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The streams of the process that the command line uses, and its signal for Ctrl-C. Tests replace them. */
export type Streams = {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Calls the listener at Ctrl-C. */
  once(signal: 'SIGINT', listener: () => void): unknown;
};

/** The input and output of a command, apart from files and the network. */
export type Io = Pick<Streams, 'stdin' | 'stdout'> & {
  readonly env: Environment;
  readonly clock: Clock;
  /** Writes a line to standard output. Resolves when it is written, and rejects if that fails. */
  print(text: string): Promise<void>;
  /** Writes a line to standard error. */
  note(text: string): void;
  /** Asks for a secret, and does not show what the user types. undefined if standard input is not a terminal. */
  readonly secret: ((question: string) => Promise<string>) | undefined;
  /** Returns a signal that aborts at Ctrl-C. Ctrl-C ends the process of a command that never asks for this signal. */
  interrupted(): AbortSignal;
};

/**
 * Removes control characters and marks of text direction, so that texts of other agents cannot control the terminal. Line breaks
 * (LF, CRLF) stay.
 */
export const harmless = (text: string): string => text.replace(CONTROLS, '');
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  /\r(?!\n)|[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function ioOf(env: Environment, streams: Streams, clock: Clock): Io {
  const { stdin, stdout, stderr } = streams;
  // `print` reports the errors of writes. Without any listener, Node.js would end the process with a stack trace instead.
  stdout.on('error', () => {});
  return {
    env,
    clock,
    stdin,
    stdout,
    print: (text) =>
      new Promise((resolve, reject) => {
        stdout.write(`${harmless(text)}\n`, (error) => (error ? reject(error) : resolve()));
      }),
    note: (text) => void stderr.write(`${harmless(text)}\n`),
    secret: stdin.isTTY ? (question) => askSecret(question, streams) : undefined,
    interrupted() {
      const stop = new AbortController();
      streams.once('SIGINT', () => stop.abort());
      return stop.signal;
    },
  };
}

/** Minimum length of a secret that is hidden. A shorter text is hardly secret, and is part of many harmless texts. */
const MIN_SECRET = 8;
/** Minimum length of a secret that is hidden inside of words, too. A text does not contain so long a value by chance. */
const MIN_KEY = 32;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/**
 * Matches where a word may begin: after a character that is no letter, digit or underscore, or after an escape of JSON such as \n.
 */
const BEFORE = String.raw`(?:(?<![\p{L}\p{N}_])|(?<=\\(?:[bfnrt]|u[0-9a-f]{4})))`;

/** Matches a secret in a text. A short secret, such as a password, may be a word, so it is not found inside of other words. */
const patternOf = (secret: string): RegExp =>
  secret.length < MIN_KEY ? new RegExp(`${BEFORE}${escaped(secret)}(?![\\p{L}\\p{N}_])`, 'gu') : new RegExp(escaped(secret), 'gu');

/** The secrets that this process has read. `hide` removes them from every output, even if the service repeats one. */
export class Secrets {
  readonly #known = new Set<string>();

  /** Remembers a secret, so that `hide` removes it from texts. Returns the secret. */
  keep<T extends string | undefined>(secret: T): T {
    const bare = secret?.replace(/^0x/, '');
    if (bare && bare.length >= MIN_SECRET) this.#known.add(bare);
    return secret;
  }

  hide(text: string): string {
    let hidden = text;
    for (const secret of this.#known) {
      // JSON escapes quotes and backslashes of a password, so the escaped form is replaced, too.
      for (const form of [secret, JSON.stringify(secret).slice(1, -1)]) hidden = hidden.replace(patternOf(form), '[secret]');
    }
    return hidden;
  }
}

/** Wraps input and output, so that printed texts contain no secrets. */
export const guarded = (io: Io, secrets: Secrets): Io => ({
  ...io,
  print: (text) => io.print(secrets.hide(text)),
  note: (text) => io.note(secrets.hide(text)),
});

async function askSecret(question: string, { stdin, stderr }: Streams): Promise<string> {
  stderr.write(question);
  // The terminal echoes what the user types to this output, which drops it.
  const muted = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: muted, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}

export const notConfigured = (message: string, hint: string): CurvetError => new CurvetError('NOT_CONFIGURED', message, { hint });
