import { texts } from '../texts.js';

/** A grey bar in place of text that is loading. `width` is the width of the text in characters. */
export function Bar({ width = 8 }: { readonly width?: number }) {
  return <span class="bar" style={{ width: `${width}ch` }} aria-hidden="true" />;
}

/** Content of a heading that is loading. It has words for screen readers, which list headings. */
export function LoadingTitle() {
  return (
    <>
      <Bar width={14} />
      <span class="hidden">{texts.common.loading}</span>
    </>
  );
}

/** Placeholder rows of a table that is loading. `widths` has the width of each cell's text in characters. */
export function SkeletonRows({ rows, widths, classes = [] }: SkeletonProps) {
  return Array.from({ length: rows }, (_, row) => (
    <tr key={row} aria-hidden="true">
      {widths.map((width, column) => (
        <td key={column} class={classes[column]}>
          <Bar width={width - (row % 3)} />
        </td>
      ))}
    </tr>
  ));
}

type SkeletonProps = {
  readonly rows: number;
  readonly widths: readonly number[];
  /** CSS classes of the cells, the same as in the loaded rows. */
  readonly classes?: readonly string[];
};
