import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { CurvetError } from '../errors.js';
import type { Clock } from '../http/clock.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the command line takes from its process, and tests replace. */
export type Streams = {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Calls the listener at Ctrl-C. */
  once(signal: 'SIGINT', listener: () => void): unknown;
};

/** What a command reads and writes besides files and the network. */
export type Io = Pick<Streams, 'stdin' | 'stdout'> & {
  readonly env: Environment;
  readonly clock: Clock;
  /** Resolves when the text has left the process. */
  print(text: string): Promise<void>;
  note(text: string): void;
  /** Asks for a secret without showing it. undefined if there is no terminal. */
  readonly secret: ((question: string) => Promise<string>) | undefined;
  /** Returns a signal that aborts at Ctrl-C. Ctrl-C ends the process of a command that never asks for this signal. */
  interrupted(): AbortSignal;
};

/** Texts of other agents must not control the terminal. Line breaks stay, also those of a CSV file. */
export const harmless = (text: string): string => text.replace(CONTROLS, '');
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  /\r(?!\n)|[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export function ioOf(env: Environment, streams: Streams, clock: Clock): Io {
  const { stdin, stdout, stderr } = streams;
  // `print` rejects with the error. Without a listener, the process would end at once, with a stack.
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

/** A shorter value is no secret, but may be part of many texts. */
const MIN_SECRET = 8;
/** A value of this length stands in no text by chance. */
const MIN_KEY = 32;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** What stands before a word: another character than those of words, or an escape of JSON such as \n. */
const BEFORE = String.raw`(?:(?<![\p{L}\p{N}_])|(?<=\\(?:[bfnrt]|u[0-9a-f]{4})))`;

/** Finds a secret in a text. A password may be a word, so it is not found inside of other words. */
const patternOf = (secret: string): RegExp =>
  secret.length < MIN_KEY ? new RegExp(`${BEFORE}${escaped(secret)}(?![\\p{L}\\p{N}_])`, 'gu') : new RegExp(escaped(secret), 'gu');

/** Secrets that this process has read. They never leave it, not even in an answer of the service that repeats them. */
export class Secrets {
  readonly #known = new Set<string>();

  /** Remembers a secret, and returns it. */
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
