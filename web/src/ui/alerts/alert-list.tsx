import type { Alert } from '../../alerts/watchlist.js';
import { useApp } from '../../app-context.js';
import { change, shortHex } from '../../format/number.js';
import { plainText, type Sentence } from '../../format/sentence.js';
import { texts } from '../../texts.js';
import { Time } from '../figure/time.js';
import { Words } from '../figure/words.js';

const words = texts.alerts;

/** What an alert waits for. */
function waitsFor(alert: Alert): Sentence {
  if (alert.kind === 'price') return words.waits.price(BigInt(alert.wei), alert.rises);
  if (alert.kind === 'profit') return words.waits.profit(change(alert.percent), alert.rises, shortHex(alert.wallet));
  return words.waits.thesis;
}

type Props = {
  readonly alerts: readonly Alert[];
  /** The name of an agent. */
  readonly nameOf: (agent: string) => string;
  /** Whether each alert names its agent. */
  readonly isNamed?: boolean;
};

/** Alerts of this browser, each with a button that removes it. */
export function AlertList({ alerts, nameOf, isNamed = false }: Props) {
  const { watchlist } = useApp();
  const remove = (id: string) =>
    watchlist.change((before) => ({ alerts: before.alerts.filter((alert) => alert.id !== id) }));
  return (
    <ul class="alerts">
      {alerts.map((alert) => (
        <li key={alert.id}>
          <span>
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
          </span>
          <button
            type="button"
            class="button quiet"
            aria-label={words.remove(plainText(waitsFor(alert)), nameOf(alert.agent))}
            onClick={() => remove(alert.id)}
          >
            {words.removeShort}
          </button>
        </li>
      ))}
    </ul>
  );
}
