import { texts } from '../../texts.js';
import { Countdown } from '../problem-view.js';
import type { Pages } from '../use-pages.js';

/** The end of a list: a button for the next page. Its height is constant, so that the end of the list does not move. */
export function More({ pages, text = texts.common.more }: { readonly pages: Pages<unknown>; readonly text?: string }) {
  const { hasMore, isBusy, problem, more } = pages;
  return (
    <div class="card-end">
      {hasMore && problem && (
        <span class="muted small">
          {texts.problems[problem.kind].title} <Countdown problem={problem} />
        </span>
      )}
      {hasMore && problem?.kind !== 'limited' && (
        <button type="button" class="button quiet" aria-disabled={isBusy} onClick={isBusy ? undefined : more}>
          {problem ? texts.problems.retry : text}
        </button>
      )}
    </div>
  );
}
