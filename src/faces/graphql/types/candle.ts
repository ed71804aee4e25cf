import { ArgsType, Field, Int, ObjectType } from 'type-graphql';
import type { CandleRow } from '../../../core/trading/queries/candles.js';
import { Interval, type Of } from './enums.js';
import { DateTime, Wei } from './scalars.js';

@ObjectType('Candle', {
  description: 'The price of one ticket over an interval, after each trade. It opens where the last one closed.',
  simpleResolvers: true,
})
export class Candle {
  @Field(() => DateTime, { description: 'When the interval begins, aligned to UTC.' })
  time!: Date;
  @Field(() => Wei, { description: 'The price at the beginning.' })
  open!: bigint;
  @Field(() => Wei, { description: 'The highest price.' })
  high!: bigint;
  @Field(() => Wei, { description: 'The lowest price.' })
  low!: bigint;
  @Field(() => Wei, { description: 'The price at the end.' })
  close!: bigint;
  @Field(() => Wei, { description: 'Curve price of the trades in it.' })
  volume!: bigint;
  @Field(() => Int, { description: 'How many trades there were. Intervals without one are left out.' })
  trades!: number;
}

@ArgsType()
export class CandleArgs {
  @Field(() => Interval, { defaultValue: '1h', description: 'How long one candle is.' })
  interval!: Of<typeof Interval>;

  @Field(() => Int, { defaultValue: 50, description: 'How many, the newest: 1 to 500.' })
  first!: number;

  @Field(() => DateTime, { nullable: true, description: 'Only candles that begin before this time.' })
  before?: Date | null;
}

export const candleNode = ({ time, open, high, low, close, volume, trades }: CandleRow): Candle => ({
  time,
  open,
  high,
  low,
  close,
  volume,
  trades,
});
