import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { texts } from '../../texts.js';

type Props = {
  readonly title: string;
  /** Called when the dialog has closed. The parent then removes it. */
  readonly close: () => void;
  readonly children: ComponentChildren;
};

/**
 * A modal dialog below the header of the page. Escape, its close button, a click beside it, and a click on one of its links close
 * it.
 */
export function Dialog({ title, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  // Whether the last press of the pointer began beside the dialog. A selection of text that begins in a field may end beside the
  // dialog, which must not close it.
  const isBeside = useRef(false);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onClose={close}
      onPointerDown={({ target }) => {
        isBeside.current = target === dialog.current;
      }}
      onClick={({ target }) => {
        // A link closes the dialog before its page opens, so that the page can then take the focus.
        if ((isBeside.current && target === dialog.current) || (target as Element).closest('a[href^="/"]')) dialog.current?.close();
      }}
    >
      <div class="head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="button quiet" onClick={() => dialog.current?.close()}>
          {texts.common.close}
        </button>
      </div>
      {children}
    </dialog>
  );
}
