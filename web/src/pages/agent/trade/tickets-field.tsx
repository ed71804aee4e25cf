import { useId } from 'preact/hooks';
import { counted } from '../../../format/number.js';
import { texts } from '../../../texts.js';
import type { Unit } from '../curve.js';

const { ticket } = texts.agent.curve;
const words = texts.trade.amount;

const units = Object.keys(words.units) as Unit[];
const unitIn = (value: string): Unit => units.find((unit) => unit === value) ?? 'tickets';

type Props = {
  /** Text in the field. */
  readonly amount: string;
  readonly unit: Unit;
  readonly setUnit: (unit: Unit) => void;
  /** US dollars per ETH. While it is unknown, the unit of dollars cannot be chosen. */
  readonly ethUsd: number | undefined;
  /** Number of tickets that the text stands for. undefined if no trade can have this amount. */
  readonly tickets: number | undefined;
  /** Position of the slider: the number of tickets, or the end of the slider if the amount is too small or too large. */
  readonly place: number;
  /** Maximum number of tickets that one trade can have now. 0 if no trade is possible. */
  readonly most: number;
  readonly write: (amount: string) => void;
  /** Writes a number of tickets into the field, with tickets as the unit. So the number stays the same when the price changes. */
  readonly slide: (tickets: number) => void;
  /** The button that fills in a number of tickets, such as all tickets of the wallet. */
  readonly fill: { readonly text: string; readonly tickets: number };
  /** The limit of one trade, what the text means, or what is wrong with it. */
  readonly note: string;
};

/** The amount of a trade, which the user types, slides, or fills in with a button. The field always shows what would be traded. */
export function TicketsField(props: Props) {
  const { amount, unit, setUnit, ethUsd, tickets, place, most, write, slide, fill, note } = props;
  const id = useId();
  const isOpen = most > 0;
  const isWrong = isOpen && tickets === undefined;
  return (
    <div class="tickets-field">
      <select aria-label={words.unit} value={unit} onChange={({ currentTarget: { value } }) => setUnit(unitIn(value))}>
        {units.map((one) => (
          <option key={one} value={one} disabled={one === 'usd' && ethUsd === undefined}>
            {words.units[one]}
          </option>
        ))}
      </select>
      <input
        id="amount"
        class="num"
        inputMode={unit === 'tickets' ? 'numeric' : 'decimal'}
        aria-label={words.labels[unit]}
        autoComplete="off"
        readOnly={!isOpen}
        value={amount}
        aria-invalid={isWrong}
        aria-describedby={`${id}-note`}
        onInput={(event) => write(event.currentTarget.value)}
      />
      <button type="button" class="button" disabled={!isOpen} aria-describedby={`${id}-note`} onClick={() => slide(fill.tickets)}>
        {fill.text}
      </button>
      <p class={`note ${isWrong ? 'fault' : 'muted'}`} id={`${id}-note`}>
        {note}
      </p>
      <input
        type="range"
        min={1}
        max={Math.max(1, most)}
        disabled={!isOpen}
        value={place}
        aria-label={words.units.tickets}
        aria-valuetext={tickets === undefined ? note : counted(tickets, ticket)}
        onInput={(event) => slide(Number(event.currentTarget.value))}
      />
    </div>
  );
}
