/** A Markdown table. A bar in a cell would end the cell. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Text without Markdown and HTML: Markdown takes `<field>` for HTML. */
export const plain = (text: string): string =>
  text.replaceAll('<', '\\<').replaceAll('*', '\\*').replaceAll('_', '\\_');
