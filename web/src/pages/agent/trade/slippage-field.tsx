import { useId } from 'preact/hooks';
import { texts } from '../../../texts.js';
import { Choices } from '../../../ui/control/choices.js';

const words = texts.trade.slippage;

/**
 * Percentages to choose from. Each key contains a percent sign: an object lists keys that are integers first, so `1` would stand
 * before `0.5`.
 */
const USUAL = { '0.5 %': '0.5 %', '1 %': '1 %', '3 %': '3 %', '5 %': '5 %' } as const;
type Usual = keyof typeof USUAL;

type Props = {
  /** Text in the field. */
  readonly text: string;
  /** Why the text is not valid. undefined if it is valid. */
  readonly fault: string | undefined;
  readonly write: (text: string) => void;
};

/** The field for the slippage, which says how far the price may move until the transaction is in a block. */
export function SlippageField({ text, fault, write }: Props) {
  const id = useId();
  return (
    <div class="slippage">
      <label class="field">
        <span>{words.name}</span>
        <span class="percent">
          <input
            class="num"
            inputMode="decimal"
            autoComplete="off"
            value={text}
            aria-describedby={id}
            aria-invalid={fault !== undefined}
            onInput={(event) => write(event.currentTarget.value)}
          />
          <span aria-hidden="true">%</span>
        </span>
      </label>
      <Choices label={words.usual} options={USUAL} chosen={`${text.trim()} %` as Usual} choose={(key) => write(key.slice(0, -2))} />
      <p class={`note ${fault ? 'fault' : 'muted'}`} id={id}>
        {fault ?? words.hint}
      </p>
    </div>
  );
}
