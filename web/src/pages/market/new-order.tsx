import { texts } from '../../texts.js';

/** Tells the reader that the order of a list has changed. The button, in the title line, shows the list in the new order. */
export function NewOrder({ show }: { readonly show: () => void }) {
  return (
    <button type="button" class="button quiet new-order" onClick={show}>
      {texts.market.newOrder}
    </button>
  );
}
