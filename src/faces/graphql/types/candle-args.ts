import { ArgsType, Field, Int } from 'type-graphql';
import { pageSizes } from '../../page-sizes.js';
import { firstOf } from './connection.js';
import { Interval, type Of } from './enums.js';
import { nullable } from './given.js';
import { DateTime } from './scalars.js';

@ArgsType()
export class CandleArgs {
  @Field(() => Interval, { defaultValue: '1h', description: 'Length of one candle.' })
  interval!: Of<typeof Interval>;

  @Field(() => Int, {
    defaultValue: pageSizes.candles.fallback,
    description: `${firstOf(pageSizes.candles)} The answer has the newest candles.`,
  })
  first!: number;

  @Field(() => DateTime, nullable('Only candles that start before this time. Default: the newest candles.'))
  before?: Date | null;
}
