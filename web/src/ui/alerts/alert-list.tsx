import { useRef } from 'preact/hooks';
import { alertTexts } from '../../alerts/texts.js';
import type { Alert } from '../../alerts/watchlist.js';
import { useApp } from '../../app-context.js';
import { change, shortHex } from '../../format/number.js';
import { plainText, type Sentence } from '../../format/sentence.js';
import { Time } from '../figure/time.js';
import { Words } from '../figure/words.js';

const words = alertTexts;

/** Says what an alert waits for. */
function waitsFor(alert: Alert): Sentence {
  if (alert.kind === 'price') return words.waits.price(BigInt(alert.wei), alert.rises);
  if (alert.kind === 'profit') return words.waits.profit(change(alert.percent), alert.rises, shortHex(alert.wallet));
  return words.waits.thesis;
}

type Props = {
  readonly alerts: readonly Alert[];
  /** Returns the name of an agent by its wallet address. */
  readonly nameOf: (agent: string) => string;
  /** Whether the name of the agent stands before each alert. @default false */
  readonly isNamed?: boolean;
  /** Called with a sentence for screen readers after an alert is removed. */
  readonly tell: (what: string) => void;
};

/** Alerts of this browser, each with a button that removes it. */
export function AlertList({ alerts, nameOf, isNamed = false, tell }: Props) {
  const { watchlist } = useApp();
  const list = useRef<HTMLUListElement>(null);
  const remove = (id: string, at: number) => {
    // The button of the removed alert disappears, so the focus moves to another alert's button, or else to the element around the
    // list.
    const buttons = list.current?.querySelectorAll('button');
    const next = buttons?.[at + 1] ?? buttons?.[at - 1] ?? list.current?.closest<HTMLElement>('[tabindex]');
    next?.focus();
    watchlist.put('alert', id, undefined);
    tell(words.removed);
  };
  return (
    <ul class="alerts" ref={list}>
      {alerts.map((alert, i) => (
        <li key={alert.id}>
          <p>
            {isNamed && (
              <>
                <strong>
                  <bdi>{nameOf(alert.agent)}</bdi>
                </strong>{' '}
              </>
            )}
            <Words of={waitsFor(alert)} />
            {alert.reachedAt !== undefined && (
              <span class="small muted">
                {' '}
                {words.reached} <Time at={new Date(alert.reachedAt).toISOString()} />
              </span>
            )}
          </p>
          <button
            type="button"
            class="button quiet"
            aria-label={words.remove(plainText(waitsFor(alert)), nameOf(alert.agent))}
            onClick={() => remove(alert.id, i)}
          >
            {words.removeShort}
          </button>
        </li>
      ))}
    </ul>
  );
}
