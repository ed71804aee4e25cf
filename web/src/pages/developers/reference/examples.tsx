import { Choices } from '../../../ui/control/choices.js';
import { developerTexts } from '../texts.js';
import { CodeBlock } from './code-block.js';
import type { Sample } from './openapi.js';

export type Choice = {
  /** Label of the kind of examples that the reader has chosen for all endpoints. */
  readonly chosen: string;
  readonly choose: (label: string) => void;
};

/** Examples of an endpoint: curl, and others that the endpoint has. */
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
