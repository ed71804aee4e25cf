import { Choices } from '../../../ui/control/choices.js';
import { developerTexts } from '../texts.js';
import { CodeBlock } from './code-block.js';
import type { Sample } from './openapi.js';

export type Choice = {
  /** Label of the kind of examples, such as curl, that the reader has chosen for all endpoints. */
  readonly chosen: string;
  readonly choose: (label: string) => void;
};

/**
 * The examples of an endpoint, with buttons that choose the kind. Without an example of the chosen kind, it shows the first one.
 */
export function Examples({ samples, chosen, choose }: { readonly samples: readonly Sample[] } & Choice) {
  const sample = samples.find(({ label }) => label === chosen) ?? samples[0];
  if (!sample) return null;
  const options = Object.fromEntries(samples.map(({ label }) => [label, label]));
  return (
    <>
      <Choices label={developerTexts.reference.examples} options={options} chosen={sample.label} choose={choose} />
      <CodeBlock text={sample.source} language={sample.lang} />
    </>
  );
}
