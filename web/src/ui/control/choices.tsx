import type { ComponentChildren } from 'preact';
import { neighbourOf } from './tabs.js';

type Props<Key extends string> = {
  readonly label: string;
  /** The keys of the choices with their texts, in the order of the buttons. */
  readonly options: Readonly<Record<Key, string>>;
  readonly chosen: Key;
  readonly choose: (key: Key) => void;
  /** Returns a picture that stands before the text of a button. */
  readonly mark?: (key: Key) => ComponentChildren;
};

/**
 * A row of buttons, of which the chosen button is pressed. The Tab key stops once at the row, and arrow keys move between its
 * buttons.
 */
export function Choices<Key extends string>({ label, options, chosen, choose, mark }: Props<Key>) {
  const entries = Object.entries(options) as [Key, string][];
  const stop = Object.hasOwn(options, chosen) ? chosen : entries[0]?.[0];
  const press = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const buttons = [...event.currentTarget.querySelectorAll('button')];
    neighbourOf(buttons, document.activeElement, event)?.focus();
  };
  return (
    <fieldset class="choices" onKeyDown={press}>
      <legend class="hidden">{label}</legend>
      {entries.map(([key, text]) => (
        <button key={key} type="button" aria-pressed={key === chosen} tabIndex={key === stop ? 0 : -1} onClick={() => choose(key)}>
          {mark?.(key)}
          {text}
        </button>
      ))}
    </fieldset>
  );
}
