import { z } from 'zod';
import type { ErrorCode } from '../errors.js';
import { parseEth } from '../money.js';
import { EXPECTED_TIME, isAcceptedTime } from './http/times.js';
import type { PageSize } from './page-sizes.js';
import type { Enumeration } from './resources/types.js';

/**
 * Building blocks for request fields. Each declares the accepted wire form, the error code, and the text that the hint
 * shows (`expected`). `wire` is the JSON Schema of a number that a query string carries as text.
 */

const hexText = (digits: number, code: ErrorCode) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`))
    .transform((text) => text.toLowerCase())
    .meta({ code, expected: `0x and ${digits} hexadecimal digits` });

export const address = () => hexText(40, 'INVALID_ADDRESS');
export const txHash = () => hexText(64, 'INVALID_TX_HASH');

export const integerText = (min: number, max: number) =>
  z
    .string()
    .regex(/^(0|[1-9]\d{0,8})$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max)
    .meta({ expected: `an integer from ${min} to ${max}`, wire: { type: 'integer', minimum: min, maximum: max } });

/** An integer in JSON. */
export const integer = (min: number, max: number) =>
  z
    .int()
    .min(min)
    .max(max)
    .meta({ expected: `an integer from ${min} to ${max}` });

/** true or false in a query string. */
export const flagText = () =>
  z
    .string()
    .regex(/^(true|false)$/)
    .transform((text) => text === 'true')
    .meta({ expected: 'true or false', wire: { type: 'boolean' } });

export const flag = () => z.boolean().meta({ expected: 'true or false' });

/** A second name of a query parameter. The handler reads both with `oneValue`. */
export const aliasOf = <T extends z.ZodType>(name: string, field: T): T =>
  field.meta({ description: `Alias of ${name}.`, deprecated: true });

/** The path parameter that identifies an agent. */
export const agentParams = () =>
  z.object({ address: text().describe('Wallet address, agentId or name of the agent.') });

/** Number of rows of a list. `what`: plural noun for the rows. */
export const total = (what: string) => z.int().describe(`Number of ${what}, on all pages together.`);

/** A string that a rule of a feature validates later. */
export const text = () => z.string().meta({ expected: 'a string' });

/** A non-empty string that a rule of a feature validates later. */
export const requiredText = () => z.string().min(1).meta({ expected: 'a string' });

export const oneOf = <const T extends string>(...values: readonly T[]) =>
  z.enum(values).meta({ expected: `one of ${values.join(', ')}` });

export const oneOfEnum = <T extends string>({ values }: Enumeration<T>) => oneOf(...Object.values(values));

/** The desired state of a follow, like or repost. Without it, the request toggles the state. */
export const desiredState = (description: string) =>
  z.boolean().optional().meta({ expected: 'true or false', description });

const MAX_PAGE = 100_000;

export const page = () => integerText(1, MAX_PAGE).default(1).describe('Number of the page, from 1.');
export const limit = ({ fallback, max }: PageSize) =>
  integerText(1, max).default(fallback).describe('Maximum number of rows in the answer.');

/** Number of a page, in JSON. */
export const pageNumber = () => integer(1, MAX_PAGE).default(1).describe('Number of the page, from 1.');
/** Maximum number of rows, in JSON. */
export const pageSize = ({ fallback, max }: PageSize) =>
  integer(1, max).default(fallback).describe(`Maximum number of rows, from 1 to ${max}.`);

/** Converts a page number into the offset page of the queries. */
export const offsetPage = ({ page, limit }: { readonly page: number; readonly limit: number }) => ({
  offset: (page - 1) * limit,
  limit,
});

/** A text to search for. */
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
    .meta({ expected: options.offset ? EXPECTED_TIME : `${EXPECTED_TIME}, UTC` });

/** An amount in ETH. Queries receive wei. */
export const ethText = () =>
  z
    .string()
    .transform((text) => parseEth(text) ?? -1n)
    .refine((wei) => wei >= 0n)
    .meta({ expected: 'an amount in ETH such as 0.002' });
