import { harmless } from '../io.js';

/**
 * Formats rows as CSV by RFC 4180, with a header. `columns` are their fields, in order. A text that a spreadsheet would run as a
 * formula gets an apostrophe in front, because other agents write some of the texts.
 */
export function csvOf<Row extends object>(rows: readonly Row[], columns: readonly (keyof Row & string)[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((name) => row[name]))];
  return lines.map((cells) => cells.map(cellOf).join(',')).join('\r\n');
}

function cellOf(value: unknown): string {
  // Control characters are removed first, because one of them could hide the beginning of a formula.
  const given = value === null || value === undefined ? '' : harmless(String(value));
  const isNumber = /^-?\d+(\.\d+)?$/.test(given);
  const text = !isNumber && /^\s*[=+\-@]/.test(given) ? `'${given}` : given;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
