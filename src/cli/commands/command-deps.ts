import type { Logger } from 'pino';
import type { Config } from '../../config.js';
import { assembleDeps, type Parts } from '../../deps.js';
import { processLimits } from '../../limits/process.js';
import { processLive } from '../../live/process.js';

/** Dependencies of a command. A command has no callers to limit or to notify, and stores no secret key. */
export const commandDeps = <P extends Pick<Parts, 'orm' | 'chain'>>(config: Config, log: Logger, parts: P) =>
  assembleDeps(config, log, { limits: processLimits(), live: processLive(), secretKey: '', ...parts });
