import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { FailureNote } from '../../../ui/problem-view.js';
import { marketTexts } from '../texts.js';
import { type AgentList, type Faults, faultsOf, NAME_LENGTH, textsOf } from './agent-list.js';

const words = marketTexts.list;
const fields = Object.keys(words.fields) as (keyof typeof words.fields)[];
const MODES = { name: 'text', minHolders: 'numeric', minPrice: 'decimal', maxPrice: 'decimal' } as const;

type Props = { readonly id: string; readonly list: AgentList };

/** The form with the filters of the list. They apply together; while one of them is not valid, none of the changes applies. */
export function FilterForm({ id, list: { filters, filter } }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [faults, setFaults] = useState<Faults>({});
  // The fields always show the filters that apply, even after the button outside of the form has cleared them.
  useEffect(() => form.current?.reset(), [JSON.stringify(filters)]);
  const apply = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = textsOf(new FormData(event.currentTarget));
    const found = faultsOf(given);
    const [wrong] = Object.keys(found);
    setFaults(found);
    if (wrong) form.current?.querySelector<HTMLInputElement>(`[name=${wrong}]`)?.focus();
    else filter(given);
  };
  return (
    <form ref={form} id={id} class="agent-filters" noValidate onSubmit={apply} onInput={() => setFaults({})}>
      {fields.map((name) => {
        const fault = faults[name];
        return (
          <div key={name}>
            <label class="field">
              <span>{words.fields[name]}</span>
              <input
                name={name}
                inputMode={MODES[name]}
                maxLength={NAME_LENGTH}
                autoComplete="off"
                spellcheck={false}
                defaultValue={filters[name]}
                aria-invalid={fault !== undefined}
                aria-describedby={fault && `${id}-${name}`}
              />
            </label>
            <div id={`${id}-${name}`}>
              <FailureNote>{fault}</FailureNote>
            </div>
          </div>
        );
      })}
      <div class="end">
        <label>
          <input type="checkbox" name="claimed" value="true" defaultChecked={filters.claimed !== ''} />
          {words.claimed}
        </label>
        <button type="submit" class="button">
          {words.apply}
        </button>
      </div>
    </form>
  );
}
