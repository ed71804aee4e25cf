import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';

const InTable = createContext(false);

/**
 * The tabIndex of a value with a tip, or of a small chart. It is -1 in a table, because `ListTable` decides which of them the Tab
 * key reaches.
 */
export const useTabStop = (): 0 | -1 => (useContext(InTable) ? -1 : 0);

type Props = {
  /** CSS classes of the table, in addition to `list`. */
  readonly class?: string;
  readonly children: ComponentChildren;
};

/**
 * A table whose values have tips, such as exact amounts and times. The Tab key reaches one value of the table instead of dozens;
 * from there, the arrow keys lead to the others. The small charts of a column have one such stop for the Tab key, too. Links are
 * reached as usual.
 */
export function ListTable({ class: extra = '', children }: Props) {
  const table = useRef<HTMLTableElement>(null);
  // After each render, because rows may have come or gone: the Tab key must reach exactly one element of each kind.
  useEffect(() => {
    for (const stops of stopsIn(table.current)) setStop(stops, stops.find(({ tabIndex }) => tabIndex === 0) ?? stops[0]);
  });
  const move = (event: KeyboardEvent) => {
    for (const stops of stopsIn(table.current)) {
      const next = neighbour(stops, document.activeElement as HTMLElement, event.key);
      if (next === undefined) continue;
      event.preventDefault();
      setStop(stops, next);
      next.focus();
    }
  };
  return (
    <InTable.Provider value={true}>
      <table ref={table} class={`list ${extra}`} onKeyDown={move}>
        {children}
      </table>
    </InTable.Provider>
  );
}

const CHART = '[role="slider"]';

/** The values with tips, and the charts, of a table. Hidden ones are left out, because narrow screens hide columns. */
const stopsIn = (table: HTMLTableElement | null): HTMLElement[][] =>
  ['[data-tip]', CHART].map((stops) =>
    [...(table?.querySelectorAll<HTMLElement>(`tbody ${stops}`) ?? [])].filter((one) => one.offsetParent !== null),
  );

function setStop(stops: readonly HTMLElement[], stop: HTMLElement | undefined): void {
  for (const one of stops) one.tabIndex = one === stop ? 0 : -1;
}

/**
 * The value or chart to which an arrow key, Home or End moves the focus. undefined for any other key, or if the focused element
 * is not in the list.
 */
function neighbour(values: readonly HTMLElement[], focused: HTMLElement, key: string): HTMLElement | undefined {
  const at = values.indexOf(focused);
  if (at < 0) return undefined;
  // A chart uses these keys itself, to move between its points.
  if (!focused.matches(CHART)) {
    if (key === 'ArrowLeft') return values[Math.max(0, at - 1)];
    if (key === 'ArrowRight') return values[Math.min(at + 1, values.length - 1)];
    if (key === 'Home') return values[0];
    if (key === 'End') return values.at(-1);
  }
  const column = columnOf(focused);
  const isInColumn = (one: HTMLElement) => rowOf(one) !== rowOf(focused) && columnOf(one) === column;
  if (key === 'ArrowUp') return values.slice(0, at).findLast(isInColumn) ?? focused;
  if (key === 'ArrowDown') return values.slice(at).find(isInColumn) ?? focused;
  return undefined;
}

const columnOf = (value: HTMLElement) => value.closest<HTMLTableCellElement>('td, th')?.cellIndex;
const rowOf = (value: HTMLElement) => value.closest('tr');
