import { change } from '../../format/number.js';
import { Amount } from './amount.js';

type Props = {
  /** Price of one ticket after a trade, in wei. */
  readonly priceAfter: bigint;
  /** Change of the price by the trade, in percent. */
  readonly impact: number;
};

/** Price of one ticket after a trade, with its change. */
export const PriceAfter = ({ priceAfter, impact }: Props) => (
  <>
    <Amount wei={priceAfter} usd="none" /> ({change(impact)})
  </>
);
