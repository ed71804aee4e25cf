const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * "now", "10 s ago", "5 min ago", "3 h ago", "2 d ago", and from 30 days on the date. Seconds rise in steps of five. A time in the
 * future counts as now, because the clock of the reader may be slow.
 */
export function relativeTime(at: number, now: number): string {
  const age = now - at;
  if (age < 5 * SECOND) return 'now';
  if (age < MINUTE) return `${Math.floor(age / (5 * SECOND)) * 5}\u00a0s ago`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)}\u00a0min ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)}\u00a0h ago`;
  if (age < 30 * DAY) return `${Math.floor(age / DAY)}\u00a0d ago`;
  return dateText(at);
}

const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const zone = new Intl.DateTimeFormat('en', { timeZoneName: 'short' });
const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** Formats a time as date and time of day in the time zone of the reader, with the name of the zone. */
export function exactTime(at: number): string {
  const name = zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${exact.format(at)} ${name}`.trim();
}

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** A day in UTC, as the service counts days. */
export const dayText = (at: number): string => day.format(at);

export const dateText = (at: number): string => date.format(at);

/** Time that is left: "3 d 4 h", "4 h 12 min", "12 min 5 s", "5 s". */
export function countdown(milliseconds: number): string {
  const left = Math.max(0, Math.ceil(milliseconds / SECOND)) * SECOND;
  const [days, hours] = [Math.floor(left / DAY), Math.floor((left % DAY) / HOUR)];
  const [minutes, seconds] = [Math.floor((left % HOUR) / MINUTE), Math.floor((left % MINUTE) / SECOND)];
  if (days > 0) return `${days}\u00a0d ${hours}\u00a0h`;
  if (hours > 0) return `${hours}\u00a0h ${minutes}\u00a0min`;
  if (minutes > 0) return `${minutes}\u00a0min ${seconds}\u00a0s`;
  return `${seconds}\u00a0s`;
}
