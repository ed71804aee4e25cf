import { useEffect, useId, useRef } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { FailureNote } from '../../ui/problem-view.js';
import type { MyAgentData } from './use-my-agent.js';

const words = texts.portfolio.key;

/** Takes the API key of an agent. It stays in the memory of this tab, and no storage gets it. */
export function KeyCard({ mine: { isGiven, data, refusal } }: { readonly mine: MyAgentData }) {
  const { agentKey } = useApp();
  const input = useRef<HTMLInputElement>(null);
  const forget = useRef<HTMLButtonElement>(null);
  const id = useId();
  // The form and the note replace each other. The focus follows the user's last action instead of falling to the page.
  const hasActed = useRef(false);
  useEffect(() => {
    if (hasActed.current) (isGiven ? forget : input).current?.focus();
  }, [isGiven]);
  const take = (key: string | undefined) => {
    hasActed.current = true;
    agentKey.value = key;
  };
  const use = (event: Event) => {
    event.preventDefault();
    const key = input.current?.value.trim();
    if (key) take(key);
  };
  return (
    <Card title={words.title}>
      {isGiven ? (
        <div class="wallet">
          <p role="status">{data ? words.given : words.trying}</p>
          <p class="small muted">{words.memory}</p>
          <button ref={forget} type="button" class="button" onClick={() => take(undefined)}>
            {words.forget}
          </button>
        </div>
      ) : (
        <form class="wallet" onSubmit={use}>
          <p class="muted">{words.lead}</p>
          <label class="field key-field">
            <span>{words.label}</span>
            <input
              ref={input}
              type="password"
              autoComplete="off"
              spellcheck={false}
              aria-invalid={refusal !== undefined}
              aria-describedby={refusal ? id : undefined}
            />
          </label>
          {refusal && (
            <div id={id}>
              <FailureNote>{words.refused(refusal)}</FailureNote>
            </div>
          )}
          <button type="submit" class="button">
            {words.use}
          </button>
          <p class="small muted">{words.memory}</p>
        </form>
      )}
    </Card>
  );
}
