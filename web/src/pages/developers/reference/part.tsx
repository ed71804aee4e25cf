import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

type Props = {
  readonly id: string;
  /** The fragment of the address: the id of a part, or of a row in it, such as `points-volume` in `points`. */
  readonly target: string;
  readonly summary: ComponentChildren;
  readonly content: () => ComponentChildren;
};

/** A chapter or an endpoint of the reference, which the reader can fold. Its content is rendered only while it is open. */
export function Part({ id, target, summary, content }: Props) {
  const isTarget = target === id || target.startsWith(`${id}-`);
  const [isExpanded, setExpanded] = useState(isTarget);
  useEffect(() => {
    if (isTarget) setExpanded(true);
  }, [isTarget]);
  useEffect(() => {
    if (isTarget && isExpanded) document.getElementById(target)?.scrollIntoView();
  }, [isTarget, isExpanded, target]);
  return (
    <details id={id} class="reference-part" open={isExpanded} onToggle={(event) => setExpanded(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isExpanded && <div class="details">{content()}</div>}
    </details>
  );
}
