import { useApp } from '../../app-context.js';
import { etherText, usdText, weiText } from '../../format/ether.js';
import { texts } from '../../texts.js';
import { useTabStop } from '../list-table.js';

type Props = {
  /** Amount in wei, as the service sends it. */
  readonly wei: string | bigint;
  /** Where the amount in US dollars stands: beside the ether, below it, or nowhere. @default 'beside' */
  readonly usd?: 'beside' | 'below' | 'none';
  /** Whether gains and losses have a colour and a sign. @default false */
  readonly signed?: boolean;
};

/** Shows an amount of ether, with US dollars. A tip with the exact wei appears for the pointer, a touch and the focus. */
export function Amount({ wei, usd = 'beside', signed = false }: Props) {
  const { ethUsd } = useApp();
  const tabStop = useTabStop();
  const value = BigInt(wei);
  const sign = signed && value > 0n ? '+' : '';
  const tone = signed && value !== 0n ? (value > 0n ? ' up' : ' down') : '';
  return (
    <span class={`amount ${usd}${tone}`}>
      <span class="eth" data-tip={weiText(value)} tabIndex={tabStop}>
        {sign}
        {etherText(value)}
      </span>
      {usd !== 'none' && ethUsd.value !== undefined && (
        <span class="usd">
          <span class="hidden">{texts.common.or} </span>
          {sign}
          {usdText(value, ethUsd.value)}
        </span>
      )}
    </span>
  );
}
