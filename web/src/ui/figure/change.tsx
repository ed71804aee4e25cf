import type { ComponentChildren } from 'preact';
import { change } from '../../format/number.js';
import { texts } from '../../texts.js';

/** Shows a change in percent. Sign and arrow tell the direction, so that it does not depend on seeing the colour. */
export function Change({ percent }: { readonly percent: number }) {
  const tone = percent > 0 ? 'up' : percent < 0 ? 'down' : 'flat';
  return (
    <span class={`change ${tone}`}>
      <span aria-hidden="true">{{ up: '▲', down: '▼', flat: '·' }[tone]}</span> {change(percent)}
    </span>
  );
}

/** Shows by how much a total has grown in the last 24 hours. `children` is the increase; `isMore` says whether it is above zero. */
export function DayChange({ isMore, children }: { readonly isMore: boolean; readonly children: ComponentChildren }) {
  return (
    <span class={`change ${isMore ? 'up' : 'flat'}`}>
      {isMore && '+'}
      {children} <span class="muted">{texts.common.in24h}</span>
    </span>
  );
}
