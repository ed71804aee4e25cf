import { graphql, type ResultOf } from '../../graphql/document.js';
import { texts } from '../../texts.js';

/** The fields of an outcome that `Verdict` shows. Queries include this fragment. */
export const outcome = graphql(`
  fragment outcome on Outcome {
    horizon
    hasVerdict
    followed
    paid
  }
`);
export type Outcome = ResultOf<typeof outcome>;

type Props = {
  readonly of: Outcome;
  /** Whether it says after which time the thesis was judged. @default false */
  readonly isDated?: boolean;
};

/** What became of a thesis. Words and a symbol tell it, so that it does not depend on seeing the colour. */
export function Verdict({ of: { horizon, hasVerdict, followed, paid }, isDated }: Props) {
  const { verdict, none, open, after, horizons } = texts.outcomes;
  const [tone, symbol, text] = hasVerdict
    ? [followed ? 'up' : 'down', followed ? '✓' : '✗', verdict(followed, paid)]
    : ['muted', ...(hasVerdict === null ? ['○', open] : ['–', none])];
  return (
    <span class={`verdict small ${tone}`}>
      <span aria-hidden="true">{symbol}</span> {text}
      {isDated && ` ${after} ${horizons[horizon]}`}
    </span>
  );
}

/** Marks a thesis that came too long after its trade to count. */
export const Late = ({ if: eligibility }: { readonly if: string | null }) =>
  eligibility === 'LATE' ? <span class="verdict small muted"> ({texts.outcomes.late})</span> : null;
