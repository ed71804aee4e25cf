import { useApp } from '../../app-context.js';
import { exactTime, relativeTime } from '../../format/time.js';
import { useTabStop } from '../list-table.js';

/** A relative time of a time in ISO 8601. Pointer and keyboard focus show the exact one. */
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
