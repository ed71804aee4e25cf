import type { Config } from '../../../config.js';
import type { Endpoint } from '../endpoint.js';
import type { Place } from '../openapi/document.js';

/** What the chapters of the documentation know about the service that shows them. */
export type DocsFacts = {
  readonly place: Place;
  readonly config: Config;
  readonly endpoints: readonly Endpoint[];
};

/** A chapter of `/docs`. Its text is Markdown, so that one source serves people and programs. */
export type Chapter = {
  readonly id: string;
  readonly title: string;
  readonly text: (facts: DocsFacts) => string;
};

/** A Markdown table. A bar in a cell would end the cell. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
