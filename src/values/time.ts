/** Source of the current time. Tests replace it to control the time. */
export type Clock = { now(): Date };

/** Durations of an hour and a day in milliseconds. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Parses a time of PostgreSQL with up to six fractional digits, usually in half the time of Date.parse. */
export function parseSqlTime(text: string): Date {
  // The fast path needs the offset +00, which database sessions have, and a year that does not start with 0: Date.UTC would read
  // the years before 100 as 1900 to 1999.
  const isUsual = text.endsWith('+00') && text[4] === '-' && text[0] !== '0';
  if (!isUsual) return new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
  const day = Date.UTC(digits(text, 0, 4), digits(text, 5, 7) - 1, digits(text, 8, 10));
  const seconds = digits(text, 11, 13) * 3600 + digits(text, 14, 16) * 60 + digits(text, 17, 19);
  const fraction = text.length > 22 ? digits(text.slice(20, -3).padEnd(3, '0'), 0, 3) : 0;
  return new Date(day + seconds * 1000 + fraction);
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 10 + text.charCodeAt(i) - 48;
  return value;
}

/** The texts of all numbers of up to `length` digits, with leading zeros. `isoTime` looks them up instead of formatting them. */
const padded = (length: number) => Array.from({ length: 10 ** length }, (_, i) => String(i).padStart(length, '0'));
const two = padded(2);
const three = padded(3);

/** Formats a time in ISO 8601, in UTC with milliseconds. Same as toISOString, which takes twice as long. */
export function isoTime(time: Date): string {
  const year = time.getUTCFullYear();
  if (!(year >= 1000 && year <= 9999)) return time.toISOString();
  const date = `${year}-${two[time.getUTCMonth() + 1]}-${two[time.getUTCDate()]}`;
  const clock = `${two[time.getUTCHours()]}:${two[time.getUTCMinutes()]}:${two[time.getUTCSeconds()]}`;
  return `${date}T${clock}.${three[time.getUTCMilliseconds()]}Z`;
}
