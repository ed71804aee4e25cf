import { useId, useState } from 'preact/hooks';
import { counted } from '../../../format/number.js';
import { texts } from '../../../texts.js';

const words = texts.agent.curve;

type Props = {
  readonly tickets: number;
  /** Maximum number of tickets that one trade can have now. 0 if no trade is possible. */
  readonly most: number;
  readonly choose: (tickets: number) => void;
  /** A button that fills in a number, such as all tickets of the wallet. */
  readonly fill: { readonly text: string; readonly tickets: number };
};

/** The number of tickets of a trade: to write, to slide, or to fill in. */
export function TicketsField({ tickets, most, choose, fill }: Props) {
  // What the user writes stays until Enter or until the field loses the focus, so that it can be empty on the way to another number.
  const [written, setWritten] = useState<string | undefined>(undefined);
  const id = useId();
  const isOpen = most > 0;
  const limits = { min: 1, max: Math.max(1, most), disabled: !isOpen };
  const write = (text: string) => {
    setWritten(text);
    if (/^\d+$/.test(text) && Number(text) > 0) choose(Math.min(Number(text), limits.max));
  };
  return (
    <div class="tickets-field">
      <label for={id}>{words.tickets}</label>
      <input
        {...limits}
        id={id}
        class="num"
        type="number"
        inputMode="numeric"
        value={written ?? tickets}
        aria-invalid={written !== undefined && written !== String(tickets)}
        onInput={(event) => write(event.currentTarget.value)}
        onBlur={() => setWritten(undefined)}
        onKeyDown={({ key }) => key === 'Enter' && setWritten(undefined)}
      />
      <button type="button" class="button" disabled={!isOpen} onClick={() => choose(fill.tickets)}>
        {fill.text}
      </button>
      <input
        {...limits}
        type="range"
        value={tickets}
        aria-label={words.tickets}
        aria-valuetext={counted(tickets, words.ticket)}
        onInput={(event) => choose(Number(event.currentTarget.value))}
      />
    </div>
  );
}
