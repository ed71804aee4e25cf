import { useApp } from '../../app-context.js';
import { etherText, usdText, weiOf, weiText } from '../../format/ether.js';
import { texts } from '../../texts.js';
import { useTabStop } from '../list-table.js';

type Props = {
  /** Amount in wei, as the service sends it, or in ETH as a number. */
  readonly wei?: string | bigint;
  readonly eth?: number;
  /** Whether the amount in US dollars stands beside, below, or not at all. */
  readonly usd?: 'beside' | 'below' | 'none';
  /** Colours gains and losses, and writes their sign. */
  readonly signed?: boolean;
};

/** An amount of ether, with US dollars. The pointer, a touch or the focus show the exact wei. */
export function Amount({ wei, eth, usd = 'beside', signed = false }: Props) {
  const { ethUsd } = useApp();
  const tabStop = useTabStop();
  const value = wei === undefined ? weiOf(eth ?? 0) : BigInt(wei);
  const sign = signed && value > 0n ? '+' : '';
  const tone = signed && value !== 0n ? (value > 0n ? ' up' : ' down') : '';
  const exact = wei === undefined ? undefined : weiText(value);
  return (
    <span class={`amount ${usd}${tone}`}>
      <span class="eth" data-tip={exact} tabIndex={exact ? tabStop : undefined}>
        {sign}
        {etherText(value)}
      </span>
      {usd !== 'none' && ethUsd.value !== undefined && (
        <span class="usd">
          <span class="hidden">{texts.common.or} </span>
          {usdText(value, ethUsd.value)}
        </span>
      )}
    </span>
  );
}
