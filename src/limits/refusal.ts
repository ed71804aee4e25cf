import { AppError, fillTemplate } from '../errors.js';
import type { Verdict, Window, WindowState } from './limits.js';

/** A window refused the request. The error carries all windows, so that every face can name them. */
export class RateLimited extends AppError {
  /** All windows of the request, including those that would pass. */
  readonly windows: readonly WindowState[];

  constructor({ retryAfter, windows }: Omit<Verdict, 'allowed'>, now: Date) {
    super('RATE_LIMITED', { seconds: retryAfter, ...hintParts(windows, retryAfter, now) });
    this.windows = windows;
  }

  /** Names of the windows that refused. */
  get refusedBy(): string[] {
    return this.windows.filter(({ waitSeconds }) => waitSeconds > 0).map(windowName);
  }
}

/** Text and advice of the limit with the longest wait. */
function hintParts(windows: readonly WindowState[], seconds: number, now: Date): { limit: string; advice: string } {
  const [longest] = [...windows].sort((a, b) => b.waitSeconds - a.waitSeconds);
  const until = new Date(now.getTime() + seconds * 1000).toISOString();
  const advice = fillTemplate(longest?.advice ?? 'Wait <seconds> seconds', { seconds, until });
  return { limit: longest ? limitText(longest) : '', advice };
}

/** A limit in words, such as "20 requests per minute per IP". */
export const limitText = ({ max, seconds, counts = 'requests', per = 'IP' }: Omit<Window, 'key'>): string =>
  `${max} ${counts} per ${spanText(seconds)} per ${per}`;

function spanText(seconds: number): string {
  if (seconds === 60) return 'minute';
  if (seconds === 3600) return 'hour';
  if (seconds % 3600 === 0) return `${seconds / 3600} hours`;
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`;
}

/** Name of a window: the part of its key before the caller. */
export const windowName = ({ key }: Pick<Window, 'key'>): string => key.split(':', 1)[0] ?? key;
