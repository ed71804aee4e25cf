import { useId, useRef, useState } from 'preact/hooks';
import { marketTexts } from '../texts.js';
import { columns, orderText } from './agent-columns.js';
import { type AgentList, NO_FILTERS } from './agent-list.js';
import { FilterForm } from './filter-form.js';

const words = marketTexts.list;

/**
 * The line above the list: a button that opens the filters, a button that clears them, and on narrow screens a field for the
 * order.
 */
export function ListBar({ list }: { readonly list: AgentList }) {
  const { order, active, filter, sortBy } = list;
  const [isOpen, setOpen] = useState(false);
  const fold = useRef<HTMLButtonElement>(null);
  const id = useId();
  const clear = () => {
    filter(NO_FILTERS);
    // The button that clears the filters disappears, so the focus moves to the button that opens them.
    fold.current?.focus();
  };
  const orders = columns.flatMap(({ sort }) => [false, true].map((isAscending) => ({ sort, isAscending })));
  return (
    <>
      <div class="list-bar">
        <button
          ref={fold}
          type="button"
          class="button quiet"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          {words.filters}
          {active > 0 && ` (${active})`}
        </button>
        {active > 0 && (
          <button type="button" class="button quiet" onClick={clear}>
            {words.clear}
          </button>
        )}
        <select
          class="narrow"
          aria-label={words.sort}
          value={orders.findIndex((one) => one.sort === order.sort && one.isAscending === order.isAscending)}
          onChange={({ currentTarget }) => {
            const chosen = orders[currentTarget.selectedIndex];
            if (chosen) sortBy(chosen);
          }}
        >
          {orders.map((one, i) => (
            <option key={i} value={i}>
              {orderText(one)}
            </option>
          ))}
        </select>
      </div>
      {isOpen && <FilterForm id={id} list={list} />}
    </>
  );
}
