import { expect } from 'chai';
import type { Json } from '../service/graphql.js';

/** The value at a path such as `agent.holders`. A step into a list is a step into each of its rows. */
export const valueAt = (answer: Json, path: string): Json =>
  path
    .split('.')
    .filter(Boolean)
    .reduce((value, name) => (Array.isArray(value) ? value.map((row) => row[name]) : value?.[name]), answer);

/**
 * Expects that a value has all fields of another, with the same values, and as many rows. It may have more fields. `convert`
 * changes a value before the comparison.
 */
export function expectAll(value: Json, expected: Json, convert = (found: Json, _expected: Json): Json => found, path = ''): void {
  if (Array.isArray(expected)) expect(value, path).to.have.length(expected.length);
  if (typeof expected !== 'object' || expected === null) expect(convert(value, expected), path).to.equal(expected);
  else for (const [name, one] of Object.entries(expected)) expectAll(value?.[name], one, convert, `${path}.${name}`);
}

/** The rows, or the row, with these fields only. */
export const only = (rows: Json, names: readonly string[]): Json =>
  Array.isArray(rows) ? rows.map((row) => only(row, names)) : Object.fromEntries(names.map((name) => [name, rows[name]]));
