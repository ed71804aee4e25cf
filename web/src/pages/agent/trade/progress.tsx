import { count, counted, shortHex } from '../../format/number.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { Copy } from '../../ui/control/copy.js';
import { Amount } from '../../ui/figure/amount.js';
import { Words } from '../../ui/figure/words.js';
import { FailureNote } from '../../ui/problem-view.js';
import { type Progress, STEPS } from './run-trade.js';
import type { TradeState } from './use-trade.js';

const words = texts.trade;

/** The steps of the present trade, from the check to the index of the service. */
export function ProgressCard({ state: { order, progress, failure } }: { readonly state: TradeState }) {
  const at = progress.step === 'done' ? STEPS.length : STEPS.indexOf(progress.step);
  const stateOf = (i: number) => (i < at ? 'done' : i > at ? 'open' : failure === undefined ? 'now' : 'failed');
  return (
    <Card title={words.progress} class="progress">
      <p class="summary">
        {texts.agent.curve.sides[order.side]} {counted(order.tickets, texts.agent.curve.ticket)}
      </p>
      <ol class="steps">
        {STEPS.map((step, i) => (
          <li key={step} class={stateOf(i)} aria-current={stateOf(i) === 'now' ? 'step' : undefined}>
            <span class="dot" aria-hidden="true" />
            <span>
              {words.steps[step]} <span class="muted">{words.states[stateOf(i)]}</span>
            </span>
          </li>
        ))}
      </ol>
      <FailureNote>{failure && <Words of={failure} />}</FailureNote>
      <Result side={order.side} progress={progress} />
    </Card>
  );
}

function Result({ side, progress }: { readonly side: 'buy' | 'sell'; readonly progress: Progress }) {
  const { hash, blockNumber, total } = progress;
  if (hash === undefined) return null;
  return (
    <dl class="breakdown num result">
      {total !== undefined && (
        <div class="sum">
          <dt>{words.paid[side]}</dt>
          <dd>
            <Amount wei={total} />
          </dd>
        </div>
      )}
      <div>
        <dt>{words.transaction}</dt>
        <dd>
          <Copy text={hash} label={words.copyHash}>
            <span class="mono">{shortHex(hash)}</span>
          </Copy>
        </dd>
      </div>
      {blockNumber !== undefined && (
        <div>
          <dt>{words.block}</dt>
          <dd>{count(blockNumber)}</dd>
        </div>
      )}
    </dl>
  );
}
