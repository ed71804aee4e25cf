import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { texts } from '../../texts.js';

type Props = {
  /** Text that a click copies. */
  readonly text: string;
  /** What a click does, for screen readers. */
  readonly label: string;
  /** What the tip says before a click. @default the text */
  readonly tip?: string;
  readonly children: ComponentChildren;
};

/** A button that copies a text, such as an address. */
export function Copy({ text, label, tip: given = text, children }: Props) {
  const { announce } = useApp();
  const [done, setDone] = useState<boolean | undefined>(undefined);
  const copy = async () => {
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    setDone(isCopied);
    announce(isCopied ? texts.copy.done : texts.copy.failed);
    setTimeout(() => setDone(undefined), 2000);
  };
  const tip = done === undefined ? given : done ? texts.copy.done : texts.copy.failed;
  return (
    <button type="button" class="copy" data-tip={tip} onClick={copy}>
      <span class="hidden">{label} </span>
      {children}
      <svg width="13" height="13" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        {done ? <path d="M3 8.5 6.5 12 13 4.5" /> : <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />}
      </svg>
    </button>
  );
}
