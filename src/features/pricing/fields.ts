import { z } from 'zod';
import { integer } from '../../server/fields.js';
import { MAX_SLIPPAGE_PERCENT, MAX_TICKETS_PER_TRADE } from './rules.js';

/** A number of tickets. */
export const amount = () => integer(1, Number(MAX_TICKETS_PER_TRADE)).meta({ code: 'INVALID_AMOUNT' });

/** A percentage with at most two decimals. The quote receives basis points. */
export const slippage = () =>
  z
    .number()
    .min(0)
    .max(MAX_SLIPPAGE_PERCENT)
    .refine((percent) => /^\d+(\.\d{1,2})?$/.test(String(percent)))
    .transform((percent) => BigInt(Math.round(percent * 100)))
    .meta({ expected: `a number from 0 to ${MAX_SLIPPAGE_PERCENT} with at most 2 decimals` });
