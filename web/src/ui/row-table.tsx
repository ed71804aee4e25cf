import type { ComponentChildren } from 'preact';
import { ListTable } from './list-table.js';
import { SkeletonRows } from './skeleton.js';
import { TableHead } from './table-head.js';

type Props<Row> = {
  /** CSS classes of the table. */
  readonly class?: string;
  /** Name of the table, for screen readers. */
  readonly caption: string;
  readonly heads: readonly string[];
  /** CSS classes of the columns, in order. */
  readonly columns: readonly string[];
  /** The rows of the table. undefined while they are loading. */
  readonly rows: readonly Row[] | undefined;
  /** The placeholders while the rows load: their number, and the width of each cell's text in characters. */
  readonly loading: { readonly rows: number; readonly widths: readonly number[] };
  /** Renders a row as a `tr` element with a key. */
  readonly row: (row: Row, index: number) => ComponentChildren;
};

/** A table with heads and rows, which shows placeholders while its rows load. */
export function RowTable<Row>({ class: extra = '', caption, heads, columns, rows, loading, row }: Props<Row>) {
  return (
    <ListTable class={extra}>
      <caption class="hidden">{caption}</caption>
      <TableHead heads={heads} classes={columns} />
      <tbody aria-busy={rows === undefined}>
        {rows === undefined ? <SkeletonRows {...loading} classes={columns} /> : rows.map((data, i) => row(data, i))}
      </tbody>
    </ListTable>
  );
}
