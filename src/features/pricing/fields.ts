import { z } from 'zod';
import { integerText } from '../../server/fields.js';
import { MAX_SLIPPAGE_PERCENT, MAX_TICKETS_PER_TRADE } from './rules.js';

const MAX_AMOUNT = Number(MAX_TICKETS_PER_TRADE);
const AMOUNT = { code: 'INVALID_AMOUNT', expected: `an integer from 1 to ${MAX_AMOUNT}` };

export const amount = () => z.int().min(1).max(MAX_AMOUNT).meta(AMOUNT);

/** A ticket amount in a query string. */
export const amountText = () => integerText(1, MAX_AMOUNT).meta(AMOUNT);

const SLIPPAGE = `a number from 0 to ${MAX_SLIPPAGE_PERCENT} with at most 2 decimals`;

/** A percentage with at most two decimals, in JSON. The quote receives basis points. */
export const slippage = () =>
  z
    .number()
    .min(0)
    .max(MAX_SLIPPAGE_PERCENT)
    .refine((percent) => /^\d+(\.\d{1,2})?$/.test(String(percent)))
    .transform((percent) => BigInt(Math.round(percent * 100)))
    .meta({ expected: SLIPPAGE });

/** A percentage with at most two decimals. The quote receives basis points. */
export const slippageText = () =>
  z
    .string()
    .regex(/^(0|[1-9]\d?)(\.\d{1,2})?$/)
    .transform((text) => BigInt(Math.round(Number(text) * 100)))
    .refine((bps) => bps <= BigInt(MAX_SLIPPAGE_PERCENT) * 100n)
    .meta({
      expected: SLIPPAGE,
      wire: { type: 'number', minimum: 0, maximum: MAX_SLIPPAGE_PERCENT },
    });
