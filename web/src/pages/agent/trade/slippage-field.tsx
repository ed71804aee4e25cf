import { useId, useState } from 'preact/hooks';
import { MAX_SLIPPAGE_PERCENT } from '../../../../../src/features/pricing/rules.js';
import { texts } from '../../../texts.js';
import { Choices } from '../../../ui/control/choices.js';

const words = texts.trade.slippage;

/**
 * Percentages to choose from. Each key contains a percent sign, because an object lists keys that are integers first,
 * in numeric order.
 */
const USUAL = { '0.5 %': '0.5 %', '1 %': '1 %', '3 %': '3 %', '5 %': '5 %' } as const;
type Usual = keyof typeof USUAL;

type Props = { readonly slippage: number; readonly change: (percent: number) => void };

/** How far the price may move until the transaction is in a block. */
export function SlippageField({ slippage, change }: Props) {
  const [text, setText] = useState(String(slippage));
  const id = useId();
  const isValid = /^\d{1,2}(\.\d{1,2})?$/.test(text) && Number(text) <= MAX_SLIPPAGE_PERCENT;
  const set = (next: string) => {
    setText(next);
    const percent = Number(next);
    if (/^\d{1,2}(\.\d{1,2})?$/.test(next) && percent <= MAX_SLIPPAGE_PERCENT) change(percent);
  };
  return (
    <div class="slippage">
      <label class="field">
        <span>{words.name}</span>
        <span class="percent">
          <input
            class="num"
            inputMode="decimal"
            value={text}
            aria-describedby={id}
            aria-invalid={!isValid}
            onInput={(event) => set(event.currentTarget.value.trim())}
          />
          <span aria-hidden="true">%</span>
        </span>
      </label>
      <Choices
        label={words.usual}
        options={USUAL}
        chosen={`${slippage} %` as Usual}
        choose={(key) => set(key.slice(0, -2))}
      />
      <p class="note muted" id={id}>
        {isValid ? words.hint : words.wrong(String(MAX_SLIPPAGE_PERCENT))}
      </p>
    </div>
  );
}
