import type { Ref } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { execute } from '../../graphql/request.js';
import { AgentLink } from '../../ui/agent/agent-link.js';
import { Card } from '../../ui/card.js';
import { FailureNote, ProblemView } from '../../ui/problem-view.js';
import { type PrivateData, usePrivateData } from '../portfolio/use-private-data.js';
import { type KeyOwner, keyOwnerQuery } from './queries.js';
import { settingsTexts } from './texts.js';

const words = settingsTexts.key;

/** The card that takes the API key of an agent. The key stays in the memory of this tab, and is never stored. */
export function KeyCard() {
  const { agentKey } = useApp();
  const owner = usePrivateData<KeyOwner>(async ({ key, signal, show }) => show(await execute(keyOwnerQuery, {}, { key, signal })));
  const { isGiven, refusal } = owner;
  const input = useRef<HTMLInputElement>(null);
  const forget = useRef<HTMLButtonElement>(null);
  const id = useId();
  // The form and the note about the key replace each other, so the focused element disappears. The focus then moves to the new
  // part, but only after an action of the user.
  const hasActed = useRef(false);
  useLayoutEffect(() => {
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
        <GivenKey owner={owner} button={forget} forget={() => take(undefined)} />
      ) : (
        <form class="body" onSubmit={use}>
          <p class="muted">{words.lead}</p>
          <label class="field">
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
          <button type="submit" class="button main">
            {words.use}
          </button>
          <p class="small muted">{words.memory}</p>
        </form>
      )}
    </Card>
  );
}

type GivenProps = {
  readonly owner: PrivateData<KeyOwner>;
  readonly button: Ref<HTMLButtonElement>;
  readonly forget: () => void;
};

/** Says whether the service has accepted the key, and where the data of its agent is. */
function GivenKey({ owner: { data, problem, reload }, button, forget }: GivenProps) {
  const agent = data?.me?.agent;
  return (
    <div class="body">
      <p role="status" class="accepted" aria-busy={!data && !problem}>
        {data ? words.given : words.trying} {agent && <AgentLink agent={agent} address={agent.id} size={24} />}
      </p>
      {problem && <ProblemView problem={problem} retry={reload} />}
      <p>
        <a href="/portfolio">{words.portfolio}</a>
      </p>
      <button ref={button} type="button" class="button" onClick={forget}>
        {words.forget}
      </button>
      <p class="small muted">{words.memory}</p>
    </div>
  );
}
