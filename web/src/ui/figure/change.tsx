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

/** Shows by how much a total has grown in the last 24 hours. */
export function DayChange({ text, isMore }: { readonly text: string; readonly isMore: boolean }) {
  return (
    <span class={`change ${isMore ? 'up' : 'flat'}`}>
      {isMore && '+'}
      {text} <span class="muted">{texts.common.in24h}</span>
    </span>
  );
}
