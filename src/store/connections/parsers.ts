import { parseSqlTime } from '../../values/time.js';

const INT8 = 20;
const NUMERIC = 1700;
const TIMESTAMPTZ = 1184;

/**
 * Functions with which both drivers parse values: int8 becomes a number, numeric a bigint (cast averages to float8),
 * and timestamptz a Date. MikroORM accepts these types for its entities.
 */
export const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: Number,
  [NUMERIC]: BigInt,
  [TIMESTAMPTZ]: parseSqlTime,
};
