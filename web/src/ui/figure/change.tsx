import type { ComponentChildren } from 'preact';
import { change } from '../../format/number.js';
import { texts } from '../../texts.js';

/** Change in percent. Sign and arrow say the direction, not only the colour. */
export function Change({ percent }: { readonly percent: number }) {
  const tone = percent > 0 ? 'up' : percent < 0 ? 'down' : 'flat';
  return (
    <span class={`change ${tone}`}>
      <span aria-hidden="true">{{ up: '▲', down: '▼', flat: '·' }[tone]}</span> {change(percent)}
    </span>
  );
}

/** What the last 24 hours added to a total. */
export function DayChange({ isMore, children }: { readonly isMore: boolean; readonly children: ComponentChildren }) {
  return (
    <span class={`change ${isMore ? 'up' : 'flat'}`}>
      {isMore && '+'}
      {children} <span class="muted">{texts.common.in24h}</span>
    </span>
  );
}
