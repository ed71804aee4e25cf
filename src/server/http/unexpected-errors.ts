import type { Logger } from 'pino';

const HEAD = 200;
const TAIL = 300;
const MAX_FRAMES = 12;
const MAX_CAUSES = 3;

/**
 * Logs an unexpected error. The line has a bounded length and contains only a fixed set of fields, because drivers put
 * statements and caller values into other fields.
 */
export function logUnexpected(log: Logger, thrown: unknown, fields: Readonly<Record<string, unknown>> = {}): void {
  // The field is not named `err`, because pino would apply its own serializer.
  log.error({ ...fields, error: described(thrown) }, 'unexpected error');
}

/** An error for the log, with bounded length and without the fields in which drivers repeat statements and values. */
export function described(thrown: unknown, causes = MAX_CAUSES): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: shortened(String(thrown)) };
  const { name, message, stack = '', cause, code } = thrown as Error & { code?: unknown };
  return {
    type: name,
    message: shortened(message),
    ...(typeof code === 'string' ? { code: shortened(code) } : {}),
    // Skips the text above the frames, which repeats the message.
    stack: stack
      .split('\n')
      .filter((line) => line.startsWith('    at '))
      .slice(0, MAX_FRAMES)
      .map(shortened)
      .join('\n'),
    ...(cause !== undefined && causes > 0 ? { cause: described(cause, causes - 1) } : {}),
  };
}

/** Database errors start with the statement and end with the reason, so the end is kept. */
const shortened = (text: string): string =>
  text.length <= HEAD + TAIL ? text : `${text.slice(0, HEAD)} … ${text.slice(-TAIL)}`;
