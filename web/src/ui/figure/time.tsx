import { useApp } from '../../app-context.js';
import { exactTime, relativeTime } from '../../format/time.js';

type Props = {
  /** Time in ISO 8601. */
  readonly at: string;
  /** Whether the keyboard reaches it. false in a row that shows the exact time by another way. */
  readonly focusable?: boolean;
};

/** A relative time. Pointer and keyboard focus show the exact one. */
export function Time({ at, focusable = true }: Props) {
  const { now } = useApp();
  const moment = Date.parse(at);
  return (
    <time dateTime={at} data-tip={exactTime(moment)} tabIndex={focusable ? 0 : undefined}>
      {relativeTime(moment, now.value)}
    </time>
  );
}
