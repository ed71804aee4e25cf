import { ArgsType, Field, Int } from 'type-graphql';
import { Interval, type Of } from './enums.js';
import { DateTime } from './scalars.js';

@ArgsType()
export class CandleArgs {
  @Field(() => Interval, { defaultValue: '1h', description: 'How long one candle is.' })
  interval!: Of<typeof Interval>;

  @Field(() => Int, { defaultValue: 50, description: 'How many, the newest: 1 to 500.' })
  first!: number;

  @Field(() => DateTime, { nullable: true, description: 'Only candles that begin before this time.' })
  before?: Date | null;
}
