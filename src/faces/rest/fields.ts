import { z } from 'zod';
import { MAX_SLIPPAGE_PERCENT, MAX_TICKETS_PER_TRADE } from '../../core/pricing/rules.js';
import { parseEth } from '../../money.js';
import { EXPECTED_TIME, isAcceptedTime } from '../http/times.js';
import type { PageSize } from '../page-sizes.js';
import type { Enumeration } from '../resources/types.js';

/**
 * The declared fields of requests: what each accepts on the wire, the error it gives, and what the hint says. `wire` is
 * what the document says of a number that a query has as text.
 */

export const address = () =>
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .transform((text) => text.toLowerCase())
    .meta({ code: 'INVALID_ADDRESS', expected: '0x and 40 hexadecimal digits' });

export const txHash = () =>
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/)
    .transform((text) => text.toLowerCase())
    .meta({ code: 'INVALID_TX_HASH', expected: '0x and 64 hexadecimal digits' });

const MAX_AMOUNT = Number(MAX_TICKETS_PER_TRADE);
const AMOUNT = { code: 'INVALID_AMOUNT', expected: `an integer from 1 to ${MAX_AMOUNT}` };

export const amount = () => z.int().min(1).max(MAX_AMOUNT).meta(AMOUNT);

/** The same in a query string. */
export const amountText = () =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number)
    .refine((value) => value <= MAX_AMOUNT)
    .meta({ ...AMOUNT, wire: { type: 'integer', minimum: 1, maximum: MAX_AMOUNT } });

export const integerText = (min: number, max: number) =>
  z
    .string()
    .regex(/^(0|[1-9]\d{0,8})$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max)
    .meta({ expected: `an integer from ${min} to ${max}`, wire: { type: 'integer', minimum: min, maximum: max } });

/** Text that a rule of the core judges: here it only must be a string of a sane length. */
export const text = () => z.string().meta({ expected: 'a string' });

/** The same where nothing will not do. */
export const requiredText = () => z.string().min(1).meta({ expected: 'a string' });

export const oneOf = <const T extends string>(...values: readonly T[]) =>
  z.enum(values).meta({ expected: `one of ${values.join(', ')}` });

export const oneOfEnum = <T extends string>({ values }: Enumeration<T>) => oneOf(...Object.values(values));

export const page = () => integerText(1, 100_000).default(1);
export const limit = ({ fallback, max }: PageSize) => integerText(1, max).default(fallback);

/** A numbered page as the core reads it. */
export const offsetPage = ({ page, limit }: { readonly page: number; readonly limit: number }) => ({
  offset: (page - 1) * limit,
  limit,
});

/** A time in UTC, or with an offset. */
export const timeText = (options: { readonly offset?: boolean } = {}) =>
  z.iso
    .datetime(options)
    .transform((text) => new Date(text))
    .refine(isAcceptedTime)
    .meta({ expected: options.offset ? EXPECTED_TIME : `${EXPECTED_TIME}, UTC` });

/** An amount of ether, in wei for the core. */
export const ethText = () =>
  z
    .string()
    .transform((text) => parseEth(text) ?? -1n)
    .refine((wei) => wei >= 0n)
    .meta({ expected: 'an amount in ETH such as 0.002' });

/** Percent with at most two decimals, in basis points. */
export const slippageText = () =>
  z
    .string()
    .regex(/^(0|[1-9]\d?)(\.\d{1,2})?$/)
    .transform((text) => BigInt(Math.round(Number(text) * 100)))
    .refine((bps) => bps <= BigInt(MAX_SLIPPAGE_PERCENT) * 100n)
    .meta({
      expected: `a number from 0 to ${MAX_SLIPPAGE_PERCENT} with at most 2 decimals`,
      wire: { type: 'number', minimum: 0, maximum: MAX_SLIPPAGE_PERCENT },
    });
