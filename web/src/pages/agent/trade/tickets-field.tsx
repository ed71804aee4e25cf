import { useId } from 'preact/hooks';
import { counted } from '../../format/number.js';
import { texts } from '../../texts.js';

const words = texts.agent.curve;

type Props = {
  readonly tickets: number;
  /** Maximum number of tickets that one trade can have now. 0 if no trade is possible. */
  readonly most: number;
  readonly choose: (tickets: number) => void;
};

/** The number of tickets of a trade. */
export function TicketSlider({ tickets, most, choose }: Props) {
  const id = useId();
  return (
    <div class="ticket-count">
      <label for={id}>
        {words.tickets} <span class="num">{tickets}</span>
      </label>
      <input
        id={id}
        type="range"
        min={1}
        max={Math.max(1, most)}
        value={tickets}
        disabled={most === 0}
        aria-valuetext={counted(tickets, words.ticket)}
        onInput={(event) => choose(Number(event.currentTarget.value))}
      />
    </div>
  );
}
