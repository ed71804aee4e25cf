import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { Choices } from '../../ui/control/choices.js';
import { ProblemView } from '../../ui/problem-view.js';
import { useScript } from '../../ui/use-script.js';
import type { PanelProps } from './trade/panel.js';

/** The card with the form that buys and sells tickets. Its script loads after the first view. */
export function TradeCard(props: PanelProps) {
  const { loaded, problem, load } = useScript(() => import('./trade/panel.js'));
  const { choice, choose } = props;
  const words = texts.agent.curve;
  return (
    <Card
      id="trade"
      title={texts.trade.title}
      class="trade"
      actions={
        <Choices label={words.side} options={words.sides} chosen={choice.side} choose={(side) => choose({ ...choice, side })} />
      }
    >
      <div class="trade-parts" aria-busy={!loaded && !problem}>
        {loaded ? <loaded.TradePanel {...props} /> : problem && <ProblemView problem={problem} retry={load} />}
      </div>
    </Card>
  );
}
