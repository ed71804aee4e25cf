import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Logger, pino } from 'pino';
import type { Config } from '../config/config.js';
import { logFields } from '../observe/request-scope.js';
import type { Streams } from './program.js';

/** The id of this process in logs and traces: `service.instance.id` in OTEL_RESOURCE_ATTRIBUTES, otherwise a random id. */
function instanceOf({ OTEL_RESOURCE_ATTRIBUTES = '' }: NodeJS.ProcessEnv): string {
  const [, named] = /(?:^|,) *service\.instance\.id *= *([^,]+)/.exec(OTEL_RESOURCE_ATTRIBUTES) ?? [];
  if (named === undefined) return randomUUID();
  try {
    return decodeURIComponent(named.trim());
  } catch {
    return named;
  }
}

/**
 * The log of a program. The service logs to stdout, and a command to stderr. At a terminal, the lines are formatted for people;
 * otherwise they are JSON.
 */
export async function logOf(
  { LOG_LEVEL }: Pick<Config, 'LOG_LEVEL'>,
  env: NodeJS.ProcessEnv,
  output: Streams['stdout'],
): Promise<Logger> {
  return pino(
    {
      level: LOG_LEVEL,
      base: { instance: instanceOf(env), pid: process.pid, hostname: hostname() },
      mixin: logFields,
      // No log line contains API keys or headers. This is a safeguard against future mistakes.
      redact: ['apiKey', 'headers', '*.apiKey', '*.headers'],
      // The field is not named `time`, because the line of a request has its duration under that name.
      timestamp: () => `,"at":"${new Date().toISOString()}"`,
    },
    output.isTTY ? await terminal(output) : output === process.stdout ? toPipe() : output,
  );
}

/** Writes asynchronously, so that requests do not wait for the log. Lines that are still buffered are written at exit. */
const toPipe = () => pino.destination({ dest: 1, sync: false });

/**
 * Control characters that a terminal may obey, and characters that change the order of the text. This need not match control
 * characters below a space, because JSON escapes them.
 */
const UNSAFE = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

async function terminal(output: Streams['stdout']): Promise<{ write(line: string): void }> {
  const { prettyFactory } = await import('pino-pretty');
  const format = prettyFactory({
    timestampKey: 'at',
    ignore: 'instance,pid,hostname',
    singleLine: true,
    // The library omits the field `time`, which is the duration of a request, so the message contains it.
    messageFormat: '{msg}{if time} {time} ms{end}',
    // Errors stay JSON, which escapes control characters: their messages may contain texts of strangers.
    errorLikeObjectKeys: [],
  });
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return { write: (line) => output.write(format(line).replace(UNSAFE, escaped)) };
}
