import { useId } from 'preact/hooks';
import { counted } from '../../../format/number.js';
import { texts } from '../../../texts.js';

const words = texts.agent.curve;

type Props = {
  /** What stands in the field. */
  readonly amount: string;
  /** The tickets that this text names. undefined if no trade can have it. */
  readonly tickets: number | undefined;
  /** Maximum number of tickets that one trade can have now. 0 if no trade is possible. */
  readonly most: number;
  readonly write: (amount: string) => void;
  /** A button that fills in a number, such as all tickets of the wallet. */
  readonly fill: { readonly text: string; readonly tickets: number };
  /** The limit of one trade, or what is wrong with the text. */
  readonly note: string;
};

/** The number of tickets of a trade: to write, to slide, or to fill in. The field always shows what would be traded. */
export function TicketsField({ amount, tickets, most, write, fill, note }: Props) {
  const id = useId();
  const isOpen = most > 0;
  const isWrong = isOpen && tickets === undefined;
  return (
    <div class="tickets-field">
      <label for={id}>{words.tickets}</label>
      <input
        id={id}
        class="num"
        inputMode="numeric"
        autoComplete="off"
        disabled={!isOpen}
        value={amount}
        aria-invalid={isWrong}
        aria-describedby={`${id}-note`}
        onInput={(event) => write(event.currentTarget.value)}
      />
      <button
        type="button"
        class="button"
        disabled={!isOpen}
        aria-describedby={`${id}-note`}
        onClick={() => write(String(fill.tickets))}
      >
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
        value={tickets ?? (Number(amount) > most ? most : 1)}
        aria-label={words.tickets}
        aria-valuetext={tickets === undefined ? note : counted(tickets, words.ticket)}
        onInput={(event) => write(event.currentTarget.value)}
      />
    </div>
  );
}
