import { type Clock, systemClock } from '../http/clock.js';
import { type Environment, ioOf, type Streams } from './io.js';
import { run } from './run.js';

/** The program `curvet`: runs one command with the given arguments, environment and streams. Returns the exit code. */
export const main = (argv: readonly string[], env: Environment, streams: Streams, clock: Clock = systemClock): Promise<number> =>
  run(argv, ioOf(env, streams, clock));
