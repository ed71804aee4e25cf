import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type Props<Key extends string> = {
  readonly label: string;
  /** The keys of the tabs with their texts, in the order of the tabs. */
  readonly tabs: Readonly<Record<Key, string>>;
  readonly chosen: Key;
  readonly choose: (key: Key) => void;
  /** Content of the chosen tab. */
  readonly children: ComponentChildren;
};

/**
 * The part to which an arrow key leads from `present`: the next or the previous one. The last part is followed by the first.
 * undefined for any other key.
 */
export function neighbourOf<Part>(parts: readonly Part[], present: unknown, event: KeyboardEvent): Part | undefined {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return undefined;
  event.preventDefault();
  return parts[(parts.indexOf(present as Part) + step + parts.length) % parts.length];
}

/** Tabs by the pattern of the ARIA guide: arrow keys move between them, Tab leads to the content. */
export function Tabs<Key extends string>({ label, tabs, chosen, choose, children }: Props<Key>) {
  const id = useId();
  const keys = Object.keys(tabs) as Key[];
  const press = (event: KeyboardEvent) => {
    const next = neighbourOf(keys, chosen, event);
    if (next === undefined) return;
    choose(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={press}>
        {keys.map((key) => (
          <button
            key={key}
            id={`${id}-${key}`}
            type="button"
            role="tab"
            aria-selected={key === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={key === chosen ? 0 : -1}
            onClick={() => choose(key)}
          >
            {tabs[key]}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  );
}
