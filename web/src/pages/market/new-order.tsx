import { texts } from '../../texts.js';

/** Says that a list has another order now, and shows it when the reader wants that. */
export function NewOrder({ show }: { readonly show: () => void }) {
  return (
    <button type="button" class="button quiet" onClick={show}>
      {texts.market.newOrder}
    </button>
  );
}
