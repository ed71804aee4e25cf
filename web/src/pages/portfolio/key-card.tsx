import { useRef } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';

const words = texts.portfolio.key;

/** Takes the API key of an agent. It stays in the memory of this tab, and no storage gets it. */
export function KeyCard() {
  const { agentKey } = useApp();
  const input = useRef<HTMLInputElement>(null);
  const use = (event: Event) => {
    event.preventDefault();
    const key = input.current?.value.trim();
    if (key) agentKey.value = key;
  };
  return (
    <Card title={words.title}>
      {agentKey.value === undefined ? (
        <form class="wallet" onSubmit={use}>
          <p class="muted">{words.lead}</p>
          <label class="field key-field">
            <span>{words.label}</span>
            <input ref={input} type="password" autoComplete="off" spellcheck={false} />
          </label>
          <button type="submit" class="button">
            {words.use}
          </button>
          <p class="small muted">{words.memory}</p>
        </form>
      ) : (
        <div class="wallet">
          <p>{words.given}</p>
          <p class="small muted">{words.memory}</p>
          <button
            type="button"
            class="button"
            onClick={() => {
              agentKey.value = undefined;
            }}
          >
            {words.forget}
          </button>
        </div>
      )}
    </Card>
  );
}
