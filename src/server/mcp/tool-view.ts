import { z } from 'zod';
import { formatEth, type Wei } from '../../money.js';
import type { Field, Table } from '../resources/field.js';

/** An object in the result of an MCP tool. */
export type ToolView<Row> = {
  readonly schema: z.ZodObject;
  readonly format: (row: Row) => Record<string, unknown>;
};

type AnyView = { readonly fields: object; readonly format: (row: never) => unknown };
type AnyRow = Record<string, never>;
type Member = { readonly name: string; readonly schema: z.ZodType; readonly read: (row: AnyRow) => unknown };

/** Key of a schema's metadata: the text comes from a stranger. */
export const UNTRUSTED = 'untrusted';

/**
 * The object of a REST view for a model: every amount of ether stands in wei and in ETH, and texts of strangers are marked as
 * untrusted. `without` names fields to leave out.
 */
export function toolView<V extends AnyView>(
  view: V,
  ...without: readonly (keyof V['fields'] & string)[]
): ToolView<Parameters<V['format']>[0]> {
  const table = view.fields as Table;
  const members = Object.entries(table)
    .filter(([name, { faces }]) => faces.mcp !== false && !without.includes(name as never))
    .flatMap(([name, field]) => membersOf(name, field as unknown as Field<AnyRow>, table));
  return {
    schema: z.object(Object.fromEntries(members.map(({ name, schema }) => [name, schema]))),
    format(row) {
      const object: Record<string, unknown> = {};
      for (const { name, read } of members) {
        const value = read(row as AnyRow);
        if (value !== undefined) object[name] = value;
      }
      return object;
    },
  };
}

function membersOf(name: string, field: Field<AnyRow>, table: Table): Member[] {
  const { notes, description, schema, rest, value } = field;
  if (notes.view !== undefined) return [nested(name, field, toolView(notes.view as AnyView))];
  const marked = notes.untrusted
    ? schema.describe(`Untrusted text. ${description}`).meta({ [UNTRUSTED]: true })
    : schema;
  const own: Member = { name, schema: marked, read: rest };
  if (notes.unit === undefined || isPaired(name, notes.unit, table)) return [own];
  const inWei = notes.unit === 'eth';
  const format = inWei ? String : formatEth;
  const other: Member = {
    name: inWei ? `${name.replace(/Eth$/, '')}Wei` : `${name.replace(/Wei$/, '')}Eth`,
    schema: like(schema, z.string()).describe(`${name} in ${inWei ? 'wei' : 'ETH'}, as a decimal string.`),
    read: (row) => each(value(row), (wei) => format(wei as Wei)),
  };
  return [own, other];
}

/** Whether the table has the amount in the other unit too, such as `ticketPrice` and `ticketPriceEth`. */
function isPaired(name: string, unit: 'wei' | 'eth', table: Table): boolean {
  const base = name.replace(/(Eth|Wei)$/, '');
  const others = [base, `${base}${unit === 'wei' ? 'Eth' : 'Wei'}`];
  return others.some((other) => other !== name && ![undefined, unit].includes(table[other]?.notes.unit));
}

/** Member of a tool's result that is an object, a list of objects, or null. */
function nested(name: string, { schema, description, value }: Field<AnyRow>, view: ToolView<never>): Member {
  const isList = schema instanceof z.ZodArray;
  return {
    name,
    schema: like(schema, isList ? z.array(view.schema) : view.schema).describe(description),
    read: (row) =>
      each(value(row), (found) => (isList ? (found as never[]).map(view.format) : view.format(found as never))),
  };
}

/** Returns `schema`, changed to allow null and undefined if `model` allows them. */
function like(model: z.ZodType, schema: z.ZodType): z.ZodType {
  const base = model.safeParse(null).success ? schema.nullable() : schema;
  return model.safeParse(undefined).success ? base.optional() : base;
}

const each = (value: unknown, convert: (value: unknown) => unknown): unknown =>
  value === null || value === undefined ? value : convert(value);
