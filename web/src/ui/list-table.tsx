import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';

const InTable = createContext(false);

/** tabIndex of a value with a tip. In a table, the table decides which of its values the Tab key reaches. */
export const useTabStop = (): 0 | -1 => (useContext(InTable) ? -1 : 0);

type Props = {
  /** CSS classes of the table, in addition to `list`. */
  readonly class?: string;
  readonly children: ComponentChildren;
};

/**
 * A table whose values have tips, such as exact amounts and times. The Tab key reaches one value of the table, not each of
 * dozens, and the arrow keys lead from there to the others. Links are reached as everywhere.
 */
export function ListTable({ class: extra = '', children }: Props) {
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    const values = valuesIn(table.current);
    setStop(values, values.find(({ tabIndex }) => tabIndex === 0) ?? values[0]);
  });
  const move = (event: KeyboardEvent) => {
    const values = valuesIn(table.current);
    const next = neighbour(values, document.activeElement as HTMLElement, event.key);
    if (next === undefined) return;
    event.preventDefault();
    setStop(values, next);
    next.focus();
  };
  return (
    <InTable.Provider value={true}>
      <table ref={table} class={`list ${extra}`} onKeyDown={move}>
        {children}
      </table>
    </InTable.Provider>
  );
}

/** The values of a table that are visible: narrow screens hide columns. */
const valuesIn = (table: HTMLTableElement | null): HTMLElement[] =>
  [...(table?.querySelectorAll<HTMLElement>('tbody [data-tip]') ?? [])].filter((value) => value.offsetParent !== null);

function setStop(values: readonly HTMLElement[], stop: HTMLElement | undefined): void {
  for (const value of values) value.tabIndex = value === stop ? 0 : -1;
}

/**
 * The value to which an arrow key, Home or End moves the focus. undefined for any other key, or if the focused element
 * is not in the list.
 */
function neighbour(values: readonly HTMLElement[], focused: HTMLElement, key: string): HTMLElement | undefined {
  const at = values.indexOf(focused);
  if (at < 0) return undefined;
  if (key === 'ArrowLeft') return values[Math.max(0, at - 1)];
  if (key === 'ArrowRight') return values[Math.min(at + 1, values.length - 1)];
  if (key === 'Home') return values[0];
  if (key === 'End') return values.at(-1);
  const column = columnOf(focused);
  const isInColumn = (one: HTMLElement) => rowOf(one) !== rowOf(focused) && columnOf(one) === column;
  if (key === 'ArrowUp') return values.slice(0, at).findLast(isInColumn) ?? focused;
  if (key === 'ArrowDown') return values.slice(at).find(isInColumn) ?? focused;
  return undefined;
}

const columnOf = (value: HTMLElement) => value.closest<HTMLTableCellElement>('td, th')?.cellIndex;
const rowOf = (value: HTMLElement) => value.closest('tr');
