import { texts } from '../../texts.js';

/** Tells the reader that the order of a list has changed. A button shows the list in the new order. */
export function NewOrder({ show }: { readonly show: () => void }) {
  return (
    <button type="button" class="button quiet" onClick={show}>
      {texts.market.newOrder}
    </button>
  );
}
