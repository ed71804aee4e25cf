type Cell = string | number | null;

type Props<Row> = {
  /** Name of the file, which ends with `.csv`. */
  readonly name: string;
  readonly text: string;
  /** The columns of the file. Their values contain no comma, quotation mark or formula: times, addresses, ids and wei. */
  readonly columns: readonly (keyof Row & string)[];
  readonly rows: readonly Row[];
};

/** A button that saves rows as a CSV file, as the page has read them. */
export function Download<Row extends Readonly<Record<string, Cell>>>({ name, text, columns, rows }: Props<Row>) {
  const save = () => {
    const lines = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))];
    const file = new Blob([lines.map((cells) => cells.join(',')).join('\r\n')], { type: 'text/csv' });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(file);
    link.download = name;
    link.click();
    // The browser reads the file after this click.
    setTimeout(() => URL.revokeObjectURL(link.href));
  };
  return (
    <button type="button" class="button quiet" onClick={save}>
      {text}
    </button>
  );
}
