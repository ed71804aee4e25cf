import { marketTexts } from './texts.js';

/** A button in the title line, which appears when the order of a list has changed. A click shows the list in the new order. */
export function NewOrder({ show }: { readonly show: () => void }) {
  return (
    <button type="button" class="button quiet new-order" onClick={show}>
      {marketTexts.newOrder}
    </button>
  );
}
