import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { assembleDeps, type Parts } from '../deps.js';
import { processLimits } from '../limits/process.js';
import { processLive } from '../live/process.js';

/** The dependencies of a command: it has no callers to limit or to notify, and stores no secret. */
export const commandDeps = <P extends Pick<Parts, 'orm' | 'chain'>>(config: Config, log: Logger, parts: P) =>
  assembleDeps(config, log, { limits: processLimits(), live: processLive(), secretKey: '', ...parts });
