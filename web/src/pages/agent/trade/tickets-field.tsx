import { useId } from 'preact/hooks';
import { counted } from '../../../format/number.js';
import { texts } from '../../../texts.js';
import type { Unit } from '../curve.js';

const { ticket } = texts.agent.curve;
const words = texts.trade.amount;

const units = Object.keys(words.units) as Unit[];
const unitIn = (value: string): Unit => units.find((unit) => unit === value) ?? 'tickets';

type Props = {
  /** What stands in the field. */
  readonly amount: string;
  readonly unit: Unit;
  readonly setUnit: (unit: Unit) => void;
  /** US dollars per ETH. Without it, an amount of dollars has no meaning. */
  readonly ethUsd: number | undefined;
  /** The tickets that this text names. undefined if no trade can have it. */
  readonly tickets: number | undefined;
  /** Place of the slider: the tickets, or the end that the text is beyond. */
  readonly place: number;
  /** Maximum number of tickets that one trade can have now. 0 if no trade is possible. */
  readonly most: number;
  readonly write: (amount: string) => void;
  /** Writes a number of tickets. It stays this number when the price changes. */
  readonly slide: (tickets: number) => void;
  /** A button that fills in a number, such as all tickets of the wallet. */
  readonly fill: { readonly text: string; readonly tickets: number };
  /** The limit of one trade, what the text means, or what is wrong with it. */
  readonly note: string;
};

/** The amount of a trade: to write, to slide, or to fill in. The field always shows what would be traded. */
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
