import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import type { Deps } from '../deps.js';
import { AppError, type ErrorCode } from '../errors/errors.js';
import { parseEth } from '../values/money.js';
import type { Enumeration, GraphqlType, ScalarName } from './resources/types.js';

/**
 * Building blocks for the fields of an input. Each declares the accepted JSON form, the error code, and the text that the hint
 * shows (`expected`). All APIs use the same schema. REST first converts the texts of path and query string (`fromTexts`).
 */

const hexText = (digits: number, code: ErrorCode, graphql: ScalarName) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`))
    .transform((text) => text.toLowerCase())
    .meta({ code, expected: `0x and ${digits} hexadecimal digits`, graphql: { of: graphql } });

export const walletAddress = () => hexText(40, 'INVALID_ADDRESS', 'Address');
export const txHash = () => hexText(64, 'INVALID_TX_HASH', 'Hash');

export const integer = (min: number, max: number) =>
  z
    .int()
    .min(min)
    .max(max)
    .meta({ expected: `an integer from ${min} to ${max}` });

export const trueOrFalse = () => z.boolean().meta({ expected: 'true or false' });

/** Declares a second name of a query parameter. The handler reads both names with `oneValue`. */
export const aliasOf = <T extends z.ZodType>(name: string, field: T): T =>
  field.meta({ description: `Alias of ${name}.`, deprecated: true });

export const agentReference = () =>
  anyText().meta({ description: 'Wallet address, agentId or name of the agent.', graphql: { of: 'AgentRef' } });

/** Declares the field for the number of rows of a list. `what` is a plural noun for the rows, such as "followers". */
export const total = (what: string) => z.int().describe(`Number of ${what}, on all pages together.`);

/** A string that a rule of a feature validates later. */
export const anyText = () => z.string().meta({ expected: 'a string' });

/** A non-empty string that a rule of a feature validates later. */
export const requiredText = () => z.string().min(1).meta({ expected: 'a string' });

export const choice = <const T extends string>(...values: readonly T[]) =>
  z.enum(values).meta({ expected: `one of ${values.join(', ')}` });

export const oneOfEnum = <T extends string>(enumeration: Enumeration<T>) =>
  choice(...Object.values(enumeration.values)).meta({ graphql: { of: enumeration } });

/** Declares the state that a follow, like or repost shall have. Without it, the request toggles the state. */
export const desiredState = (description: string) => z.boolean().optional().meta({ expected: 'true or false', description });

const MAX_PAGE = 100_000;

export const page = () => integer(1, MAX_PAGE).default(1).describe('Number of the page, from 1.');
export const limit = ({ fallback, max } = pageSize) =>
  integer(1, max).default(fallback).describe('Maximum number of rows in the answer.');

export const offsetPage = ({ page, limit }: { readonly page: number; readonly limit: number }) => ({
  offset: (page - 1) * limit,
  limit,
});

export const searchText = (min: number, max: number) =>
  z
    .string()
    .trim()
    .min(min)
    .max(max)
    .meta({ expected: `a text of ${min} to ${max} characters` });

/** An ISO 8601 time in UTC or, with `offset`, with a time zone offset. */
export const timeText = (options: { readonly offset?: boolean } = {}) =>
  z.iso
    .datetime(options)
    .transform((text) => new Date(text))
    .refine(isAcceptedTime)
    .meta({ expected: options.offset ? EXPECTED_TIME : `${EXPECTED_TIME}, UTC`, graphql: { of: 'DateTime' } });

/** An amount in ETH, as a decimal string. Parsing converts it to wei. */
export const ethText = () =>
  z
    .string()
    .transform((text) => parseEth(text) ?? -1n)
    .refine((wei) => wei >= 0n)
    .meta({ expected: 'an amount in ETH such as 0.002', graphql: { of: 'Eth' } });

export type FieldMeta = {
  readonly description?: string;
  readonly code?: ErrorCode;
  readonly expected?: string;
  /** True of a second name of another field. */
  readonly deprecated?: boolean;
  /**
   * GraphQL type, if it does not follow from the schema. Its `description` replaces that of the field if it accepts other values.
   */
  readonly graphql?: GraphqlType & { readonly description?: string };
  /** Finds the wallet address that a text such as a name stands for. `readFields` calls it, unless the text is an address. */
  readonly walletOf?: (deps: Deps, text: string) => Promise<string>;
};

const ADDRESS = /^0x[0-9a-f]{40}$/;

/**
 * Parses an input with `parseFields`. Then replaces texts such as names of agents by wallet addresses, in fields with `walletOf`.
 */
export async function readFields<Schema extends z.ZodObject>(
  deps: Deps,
  schema: Schema,
  values: Readonly<Record<string, unknown>>,
  invalid?: ErrorCode,
): Promise<z.output<Schema>> {
  const parsed: Record<string, unknown> = parseFields(schema, values, invalid);
  for (const [name, value] of Object.entries(parsed)) {
    if (typeof value !== 'string' || ADDRESS.test(value)) continue;
    const { walletOf } = metaOf(schema.shape[name] as z.ZodType);
    if (walletOf) parsed[name] = await walletOf(deps, value);
  }
  return parsed as z.output<Schema>;
}

/**
 * Parses the declared fields of an input. Undeclared fields are ignored. The first invalid field, in the order of declaration,
 * determines the error. Its code is `invalid`, unless the field declares a code. `missing` lists the values that count as no value.
 */
export function parseFields<Schema extends z.ZodObject>(
  schema: Schema,
  values: Readonly<Record<string, unknown>>,
  invalid: ErrorCode = 'INVALID_FIELD',
  missing: readonly unknown[] = [undefined, null, ''],
): z.output<Schema> {
  for (const name of Object.keys(schema.shape)) {
    const value = values[name];
    if (typeof value === 'string') refuseCharacters(name, value);
  }
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  // Zod lists the issues in the order of the declaration.
  const [issue] = result.error.issues;
  const field = String(issue?.path[0] ?? '');
  const declared = schema.shape[field] as z.ZodType | undefined;
  const meta = declared && metaOf(declared);
  const required = declared?.safeParse(undefined).success === false;
  if (required && missing.includes(values[field])) throw new AppError('MISSING_FIELD', { field });
  if (issue?.code === 'too_big' && issue.origin === 'string') {
    throw new AppError('FIELD_TOO_LONG', { field, max: Number(issue.maximum) });
  }
  throw new AppError(meta?.code ?? invalid, { field, expected: meta?.expected ?? 'documented' });
}

/** The metadata of a field, unwrapped from `default` and `optional`. */
export function metaOf(schema: z.ZodType): FieldMeta {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return { ...(innerType && metaOf(innerType)), ...(schema.meta() as FieldMeta | undefined) };
}

/** Maps the names of fields to the names of their arguments. A field without an entry has an argument of the same name. */
export type Names<Field extends string = string> = { readonly [Name in Field]?: string };

/** Renames fields to the names of their arguments. */
export function renamed(fields: z.ZodObject, names?: Names): z.ZodObject {
  if (names === undefined) return fields;
  const entries = Object.entries<z.ZodType>(fields.shape);
  return z.object(Object.fromEntries(entries.map(([name, field]) => [names[name] ?? name, field])));
}

/** Renames the values of arguments to the names of their fields: the reverse of `renamed`. */
export function valuesOf(names: Names = {}, args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fieldOf = (argument: string) => Object.entries(names).find(([, name]) => name === argument)?.[0] ?? argument;
  return Object.fromEntries(Object.entries(args).map(([argument, value]) => [fieldOf(argument), value]));
}

/**
 * Converts the texts of a URL to the types of their fields. A text that does not fit stays a text, which the schema then refuses.
 */
export function fromTexts(schema: z.ZodObject, texts: Readonly<Record<string, string>>): Record<string, unknown> {
  const entries = Object.entries(texts).filter(([name]) => Object.hasOwn(schema.shape, name));
  return Object.fromEntries(entries.map(([name, text]) => [name, fromText(schema.shape[name] as z.ZodType, text)]));
}

function fromText(field: z.core.$ZodType, text: string): unknown {
  const schema = baseOf(field);
  if (schema instanceof z.ZodBoolean && /^(true|false)$/.test(text)) return text === 'true';
  // Only plain decimal numbers are converted. `1e3` or `007` stays a text, so the schema refuses it.
  const form = schema instanceof z.ZodNumberFormat ? /^(0|[1-9]\d{0,8})$/ : /^(0|[1-9]\d{0,8})(\.\d{1,2})?$/;
  return schema instanceof z.ZodNumber && form.test(text) ? Number(text) : text;
}

/** The innermost schema, without the `default`, `optional` and transformations around it. */
export function baseOf(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType, in: input } = schema._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  const inner = innerType ?? input;
  return inner ? baseOf(inner) : schema;
}

/** The values of a query string. A repeated parameter is refused. */
export function readQuery(search: URLSearchParams): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  for (const [name, value] of search) {
    if (name in values) throw new AppError('INVALID_QUERY', { field: name, expected: 'one value' });
    values[name] = value;
  }
  return values;
}

/** The value of a query parameter that has an alias. Different values under both names are refused. */
export function oneValue<T>(names: Readonly<Record<string, T | undefined>>): T | undefined {
  const [first, other] = Object.entries(names).filter(([, value]) => value !== undefined);
  if (first && other && other[1] !== first[1]) {
    throw new AppError('INVALID_QUERY', { field: other[0], expected: `the value of ${first[0]}, or leave it out` });
  }
  return first?.[1];
}

/** Page size of a list: the default, and the maximum that a request may ask for. */
export type PageSize = { readonly fallback: number; readonly max: number };

/** Page size of most lists, for REST and GraphQL. */
export const pageSize: PageSize = { fallback: 20, max: 100 };

/** Maximum of integers in filters and of season numbers: nine digits, which is what `fromText` converts. */
export const MAX_COUNT = 999_999_999;

/** Position of an answer in a list that is read page by page. */
export const pagination = z
  .object({
    page: z.int().describe('Number of this page, from 1.'),
    limit: z.int().describe('Maximum number of rows per page.'),
    total: z.int().describe('Number of rows on all pages together.'),
    totalPages: z.int().describe('Number of pages. 0 if the list is empty.'),
    hasMore: z.boolean().describe('Whether a page follows this one.'),
  })
  .meta({ id: 'Pagination' });

export function paginationOf(page: number, limit: number, total: number): z.input<typeof pagination> {
  const totalPages = Math.ceil(total / limit);
  return { page, limit, total, totalPages, hasMore: page < totalPages };
}

/**
 * Refuses null bytes, `$`, `{` and unpaired surrogates in any string. PostgreSQL cannot store unpaired surrogates, so the
 * stored text would differ from the checked one.
 */
export function refuseCharacters(field: string, text: string): void {
  if (/[\0${]/.test(text) || !text.isWellFormed()) throw new AppError('INVALID_CHARACTERS', { field });
}

const FIRST_REFUSED = Date.UTC(10_000, 0);

/** Whether a time is in the years 1970 to 9999, UTC. PostgreSQL has no year 0, and ISO 8601 needs a sign for years after 9999. */
export const isAcceptedTime = (time: Date): boolean => time.getTime() >= 0 && time.getTime() < FIRST_REFUSED;

export const EXPECTED_TIME = 'an ISO 8601 time in the years 1970 to 9999';

/**
 * Refuses a name that an operation does not declare if it resembles a declared name that the request lacks. Otherwise a request
 * with `deadlineSecond=60` would get a transaction that never expires. All other undeclared names are ignored.
 */
export function refuseMisspelled({ shape }: z.ZodObject, sent: readonly string[]): void {
  const unknown = sent.filter((name) => !Object.hasOwn(shape, name));
  if (unknown.length === 0) return;
  // A field of type `never` is declared only to be refused, so it is not what the client meant.
  const lacking = Object.keys(shape).filter(
    (name) => !sent.includes(name) && !(baseOf(shape[name] as z.ZodType) instanceof z.ZodNever),
  );
  for (const field of unknown) {
    const meant = lacking.filter((name) => resembles(field, name));
    if (meant.length > 0) throw new AppError('UNKNOWN_PARAMETER', { field, meant: meant.join(' or ') });
  }
}

/** Maximum number of letters by which a name may differ from a declared one. */
const MAX_EDITS = 2;

/**
 * Whether a name is a declared name without its first words (`address` for `walletAddress`), or differs from one in at most two
 * letters. These letters must be less than half of the declared name, or only change places, because all short names resemble each
 * other. Letter case is ignored.
 */
export function resembles(name: string, declared: string): boolean {
  const [a, b] = [name.toLowerCase(), declared.toLowerCase()];
  const start = b.length - a.length;
  // The letters differ in case, so the declared name has a capital there: a word begins.
  if (start > 0 && b.endsWith(a) && declared[start] !== b[start]) return true;
  if (Math.abs(start) > MAX_EDITS) return false;
  const edits = distance(a, b);
  return edits <= MAX_EDITS && (edits < b.length / 2 || sorted(a) === sorted(b));
}

const sorted = (text: string): string => [...text].sort().join();
