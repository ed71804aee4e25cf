import { ArgsType, Field, Int } from 'type-graphql';
import { pageSizes } from '../../page-sizes.js';
import { firstOf } from './connection.js';
import { Interval, type Of } from './enums.js';
import { DateTime } from './scalars.js';

@ArgsType()
export class CandleArgs {
  @Field(() => Interval, { defaultValue: '1h', description: 'How long one candle is.' })
  interval!: Of<typeof Interval>;

  @Field(() => Int, {
    defaultValue: pageSizes.candles.fallback,
    description: `${firstOf(pageSizes.candles)} The newest.`,
  })
  first!: number;

  @Field(() => DateTime, { nullable: true, description: 'Only candles that begin before this time.' })
  before?: Date | null;
}
