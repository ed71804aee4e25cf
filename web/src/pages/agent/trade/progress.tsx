import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { count, counted, shortHex } from '../../../format/number.js';
import { texts } from '../../../texts.js';
import { Copy } from '../../../ui/control/copy.js';
import { Amount } from '../../../ui/figure/amount.js';
import { Words } from '../../../ui/figure/words.js';
import { FailureNote } from '../../../ui/problem-view.js';
import type { Figures } from '../queries.js';
import type { Holdings } from './order.js';
import { outcomeOf } from './order.js';
import { STEPS, type StepName } from './run-trade.js';
import type { TradeState } from './use-trade.js';

const words = texts.trade;
const { curve } = texts.agent;

type Props = {
  readonly state: TradeState;
  readonly figures: Figures | undefined;
  readonly holdings: Holdings | undefined;
};

/**
 * The steps of the running trade, from the check to the index of the service, and then its result in the same place. It scrolls
 * itself into view.
 */
export function Progress({ state, figures, holdings }: Props) {
  const { order, progress, failure } = state;
  const id = useId();
  const section = useRef<HTMLElement>(null);
  // Whether the section is in view. A reader who has scrolled away from it is not pulled back.
  const isInSight = useRef(true);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      isInSight.current = entries.at(-1)?.isIntersecting ?? true;
    });
    if (section.current) observer.observe(section.current);
    return () => observer.disconnect();
  }, []);
  // When the result appears, the fields above it disappear, so the section moves. A layout effect runs before the observer
  // notices the move, while `isInSight` still tells whether the reader saw the section.
  useLayoutEffect(() => {
    if (progress.step === 'check' || isInSight.current) section.current?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  }, [progress.step, failure]);
  const isDone = progress.step === 'done';
  const at = isDone ? STEPS.length : STEPS.indexOf(progress.step as StepName);
  const stateOf = (i: number) => (i < at ? 'done' : i > at ? 'open' : failure === undefined ? 'now' : 'failed');
  return (
    <section ref={section} class={`progress ${isDone ? 'done' : ''}`} aria-labelledby={id}>
      <h3 id={id}>{isDone ? words.result : words.progress}</h3>
      {/* Screen readers speak only what is added to a live region, so the empty paragraph is in the page from the start. */}
      <p class="summary" role="status">
        {isDone && progress.total !== undefined && <Words of={outcomeOf(order.side, order.tickets, progress.total)} />}
      </p>
      {!isDone && (
        <>
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
        </>
      )}
      <FailureNote>{failure && <Words of={failure} />}</FailureNote>
      <Result state={state} figures={figures} holdings={holdings} />
    </section>
  );
}

function Result({ state: { order, progress }, figures, holdings }: Props) {
  const { hash, blockNumber, total, profit, step } = progress;
  if (hash === undefined) return null;
  const now = step === 'done' ? figures : undefined;
  const rows: readonly (readonly [string, ComponentChildren, string?])[] = [
    [words.paid[order.side], total !== undefined && <Amount wei={total} />, 'sum'],
    [words.profit, profit !== undefined && <Amount wei={profit} signed />],
    [curve.average, total !== undefined && <Amount wei={total / BigInt(order.tickets)} usd="none" />],
    [curve.after, now && <Amount wei={now.ticketPrice} usd="none" />],
    [words.wallet.tickets, now && holdings && count(holdings.tickets)],
    [
      words.transaction,
      <Copy key={hash} text={hash} label={words.copyHash}>
        <span class="mono">{shortHex(hash)}</span>
      </Copy>,
    ],
    [words.block, blockNumber !== undefined && count(blockNumber)],
  ];
  return (
    <dl class="breakdown num result">
      {rows
        .filter(([, value]) => value)
        .map(([name, value, kind]) => (
          <div key={name} class={kind}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
