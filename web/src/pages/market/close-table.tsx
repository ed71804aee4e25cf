import { dayText } from '../../format/time.js';
import { Amount } from '../../ui/figure/amount.js';
import { ListTable } from '../../ui/list-table.js';
import type { Close } from './closes.js';
import { marketTexts } from './texts.js';

export type Line = { readonly id: string; readonly name: string; readonly closes: readonly Close[] };

/**
 * The prices of the small charts in the list of trends, as a table: a row for each day, newest first, and a column for each
 * agent.
 */
export function CloseTable({ days, lines }: { readonly days: readonly number[]; readonly lines: readonly Line[] }) {
  const words = marketTexts.trending;
  return (
    <ListTable class="compact">
      <caption class="hidden">{words.lines}</caption>
      <thead>
        <tr>
          <th scope="col">{words.day}</th>
          {lines.map(({ id, name }) => (
            <th key={id} scope="col" class="num">
              <bdi>{name}</bdi>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map((day) => (
          <tr key={day}>
            <th scope="row">{dayText(day)}</th>
            {lines.map(({ id, closes }) => {
              const close = closes.find(({ at }) => at === day);
              return (
                <td key={id} class="num">
                  {close ? <Amount wei={close.wei} usd="none" /> : '–'}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </ListTable>
  );
}
