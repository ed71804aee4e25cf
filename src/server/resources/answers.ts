import { z } from 'zod';

/** An answer of one API: its schema, and the function that makes it from the rows. */
export type AnswerFormat = { readonly schema: z.ZodType; format(rows: unknown): unknown };

/**
 * The metadata `view` of a zod schema: the fields and the formatter of a view. A union of views has the schemas of its views
 * instead, by the `type` of the row.
 */
type Known =
  | { readonly fields: object; readonly format: AnswerFormat['format'] }
  | { readonly byType: Readonly<Record<string, { readonly answerSchema: z.ZodType }>> };

export const restAnswer = (schema: z.ZodType): AnswerFormat => answerOf(schema, restView);

/** REST shows a view as it is declared. */
export const restView = ({ format }: Seen, schema: z.ZodType): AnswerFormat => ({ schema, format });

/** The metadata `view` of a schema that is not a union. */
export type Seen = Extract<Known, { format: unknown }>;

/** Finds the views in a schema, and replaces each by the form that `shownAs` gives it in one API. */
export function answerOf(schema: z.ZodType, shownAs: (view: Seen, schema: z.ZodType) => AnswerFormat): AnswerFormat {
  const described = (changed: z.ZodType) => (schema.description ? changed.describe(schema.description) : changed);
  const known = schema.meta()?.view as Known | undefined;
  if (known !== undefined && 'byType' in known) {
    const byType = Object.entries(known.byType).map(([type, one]) => [type, answerOf(one.answerSchema, shownAs)] as const);
    const formats = new Map(byType.map(([type, { format }]) => [type, format]));
    return {
      schema: described(z.union(byType.map(([, one]) => one.schema))),
      format: (rows: { readonly type: string }) => formats.get(rows.type)?.(rows),
    };
  }
  // The `schema` of a view: it takes a row, and its `out` is the schema of the answer.
  if (schema instanceof z.ZodPipe) {
    const answer = answerOf(schema.out as z.ZodType, shownAs);
    return { schema: described(answer.schema), format: answer.format };
  }
  if (known !== undefined) {
    const { schema: shown, format } = shownAs(known, schema);
    return { schema: described(shown), format };
  }
  if (schema instanceof z.ZodArray) {
    const item = answerOf(schema.element as z.ZodType, shownAs);
    return { schema: described(z.array(item.schema)), format: (rows: readonly unknown[]) => rows.map(item.format) };
  }
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    const inner = answerOf(schema.unwrap() as z.ZodType, shownAs);
    const shown = schema instanceof z.ZodNullable ? inner.schema.nullable() : inner.schema.optional();
    return { schema: described(shown), format: (rows) => convertPresent(rows, inner.format) };
  }
  if (!(schema instanceof z.ZodObject)) return { schema, format: (rows) => rows };
  const members = Object.entries<z.ZodType>(schema.shape).map(([name, field]) => ({
    name,
    ...answerOf(field, shownAs),
  }));
  const shape = Object.fromEntries(members.map((member) => [member.name, member.schema]));
  return {
    schema: described(z.object(shape)),
    format: formatter(members.map(({ name, format }) => [name, (rows: Row) => format(rows[name])])),
  };
}

type Row = Readonly<Record<string, unknown>>;

/** Returns a function that makes an object from a row. Members whose value is undefined are left out. */
export function formatter(members: readonly (readonly [name: string, read: (row: never) => unknown])[]) {
  const names = members.map(([name]) => name);
  const reads = members.map(([, read]) => read);
  return (row: never): Record<string, unknown> => {
    const object: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) {
      const value = reads[i]?.(row);
      if (value !== undefined) object[names[i] as string] = value;
    }
    return object;
  };
}

/** Returns `schema`, made nullable and optional as `model` was by `nullable()` and `optional()`. */
export function optionalLike(model: z.ZodType, schema: z.ZodType): z.ZodType {
  if (!(model instanceof z.ZodNullable || model instanceof z.ZodOptional)) return schema;
  const inner = optionalLike(model.unwrap() as z.ZodType, schema);
  return model instanceof z.ZodNullable ? inner.nullable() : inner.optional();
}

export const convertPresent = (value: unknown, convert: (value: unknown) => unknown): unknown =>
  value === null || value === undefined ? value : convert(value);
