import { useEffect, useState } from 'preact/hooks';
import { texts } from '../../../texts.js';
import { Amount } from '../../../ui/figure/amount.js';
import type { Side } from '../curve.js';

const words = texts.agent.curve;
const SIDES = ['buy', 'sell'] as const;

type Props = {
  /** Price of one ticket now. */
  readonly price: string | undefined;
  readonly choose: (side: Side) => void;
};

/**
 * Scrolls to the trade panel, and moves the focus to its button for this side: the button of the bar disappears together with the
 * bar when the panel comes into view.
 */
function showPanel(side: Side): void {
  const panel = document.getElementById('trade');
  panel?.scrollIntoView({ behavior: 'instant' });
  panel?.querySelectorAll<HTMLElement>('.choices button')[SIDES.indexOf(side)]?.focus({ preventScroll: true });
}

/** A bar at the lower edge of narrow windows, which leads to the trade panel. It is shown only while the panel is out of view. */
export function TradeBar({ price, choose }: Props) {
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    const panel = document.getElementById('trade');
    const observer = new IntersectionObserver((entries) => setAway(entries.at(-1)?.isIntersecting === false));
    if (panel) observer.observe(panel);
    return () => observer.disconnect();
  }, []);
  if (!isAway || price === undefined) return null;
  return (
    <nav class="trade-bar" aria-label={texts.trade.bar}>
      <Amount wei={price} usd="below" />
      {SIDES.map((side) => (
        <button
          key={side}
          type="button"
          class={`button ${side === 'buy' ? 'main' : ''}`}
          onClick={() => {
            choose(side);
            showPanel(side);
          }}
        >
          {words.sides[side]}
        </button>
      ))}
    </nav>
  );
}
