import type { ComponentChildren } from 'preact';
import { countdown } from '../format/time.js';
import type { Problem } from '../graphql/problem.js';
import { texts } from '../texts.js';
import { useLeft } from './use-left.js';

type Props = {
  readonly problem: Problem;
  readonly retry: () => void;
  /** Whether the message replaces the whole page. The title of the message is then the heading of the page. */
  readonly isPage?: boolean;
};

/**
 * Replaces data that could not be read: says what happened and when the page tries again, and has a button that tries
 * again now.
 */
export function ProblemView({ problem, retry, isPage = false }: Props) {
  const { kind, message, hint } = problem;
  const words = texts.problems[kind];
  return (
    <div class="problem" role="alert">
      {isPage ? <h1>{words.title}</h1> : <p class="what">{words.title}</p>}
      <p class="muted">{kind === 'missing' || kind === 'refused' ? [message, hint].filter(Boolean).join('. ') : words.hint}</p>
      <p class="muted">
        <Countdown problem={problem} />
      </p>
      {kind !== 'limited' && (
        <button type="button" class="button" onClick={retry}>
          {texts.problems.retry}
        </button>
      )}
    </div>
  );
}

/** Time until the page tries again by itself. Screen readers do not speak each second of it. */
export function Countdown({ problem: { retryAt } }: { readonly problem: Problem }) {
  const left = useLeft(retryAt);
  return (
    <span class="num" aria-hidden="true">
      {left > 0 && texts.problems.again(countdown(left))}
    </span>
  );
}

/** A line above old data. It says why newer data could not be read. */
export function StaleNote({ problem }: { readonly problem: Problem | undefined }) {
  if (!problem) return null;
  return <p class="stale">{texts.problems.stale(texts.problems[problem.kind].title)}</p>;
}

/** Replaces a list that has no entries. */
export function Empty({ children }: { readonly children: string }) {
  return <p class="empty muted">{children}</p>;
}

/** Shows why an action failed. Screen readers speak the line when it appears. Shows nothing without a failure. */
export function FailureNote({ children }: { readonly children: ComponentChildren }) {
  if (!children) return null;
  return (
    <p class="note down" role="alert">
      {children}
    </p>
  );
}
