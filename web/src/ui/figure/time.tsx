import { useApp } from '../../app-context.js';
import { exactTime, relativeTime } from '../../format/time.js';
import { useTabStop } from '../list-table.js';

/**
 * Shows a time, given in ISO 8601, as a relative time such as "5 min ago". A tip with the exact time appears for pointer and
 * focus.
 */
export function Time({ at }: { readonly at: string }) {
  const { now } = useApp();
  const tabStop = useTabStop();
  const moment = Date.parse(at);
  return (
    <time dateTime={at} data-tip={exactTime(moment)} tabIndex={tabStop}>
      {relativeTime(moment, now.value)}
    </time>
  );
}
