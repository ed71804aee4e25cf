import { Card } from '../card.js';

type Props = { readonly title: string; readonly terms: readonly (readonly [term: string, meaning: string])[] };

/** A card that explains terms. */
export function Terms({ title, terms }: Props) {
  return (
    <Card title={title}>
      <dl class="body terms">
        {terms.map(([term, meaning]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd class="muted">{meaning}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
