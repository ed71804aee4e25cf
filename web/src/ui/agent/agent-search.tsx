import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { etherText, weiText } from '../../format/ether.js';
import { counted } from '../../format/number.js';
import { graphql, type ResultOf } from '../../graphql/document.js';
import { RequestError } from '../../graphql/problem.js';
import { texts } from '../../texts.js';
import { Amount } from '../figure/amount.js';
import { agentName, Badge } from './agent-link.js';
import { Identicon } from './identicon.js';

const search = graphql(
  `
  query Search($q: String!) {
    search(first: 6, q: $q) {
      nodes {
        ...agentName
        ticketPrice
      }
    }
  }
`,
  [agentName],
);
type Found = ResultOf<typeof search>['search']['nodes'][number];

/** Pause after the last key before the search begins. */
const PAUSE_MS = 150;
const MIN_LENGTH = 2;

type Props = {
  readonly label: string;
  readonly onChoose: (agent: Found) => void;
  readonly input?: { readonly current: HTMLInputElement | null };
  /** Content at the end of the input, such as the hint of a key. */
  readonly children?: ComponentChildren;
};

/** An input that finds agents while typing, and calls `onChoose` with the chosen one. */
export function AgentSearch({ label, onChoose, input: given, children }: Props) {
  const ownInput = useRef<HTMLInputElement>(null);
  const input = given ?? ownInput;
  const [text, setText] = useState('');
  const { found, note } = useResults(text);
  const list = useId();
  const { isOpen, setOpen, chosen, choose, press, close } = useChoice(found, input, (agent) => {
    setText('');
    onChoose(agent);
  });
  const shows = isOpen && text.trim().length >= MIN_LENGTH;
  return (
    <search
      class="search"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) close();
      }}
    >
      <input
        ref={input}
        type="text"
        inputMode="search"
        role="combobox"
        aria-expanded={shows}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={shows && found?.[chosen] ? `${list}-${chosen}` : undefined}
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellcheck={false}
        maxLength={50}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onKeyDown={press}
      />
      {children}
      <Results id={list} {...{ shows, found, note, chosen, choose }} />
    </search>
  );
}

/** State of the list of results: which result is chosen, and the handler of the keys that choose it. */
function useChoice(
  found: readonly Found[] | undefined,
  input: { readonly current: HTMLInputElement | null },
  take: (agent: Found) => void,
) {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  // When the results change, the first one is chosen.
  useEffect(() => setChosen(0), [found]);
  const close = () => setOpen(false);
  const choose = (agent: Found | undefined) => {
    if (!agent) return;
    close();
    input.current?.blur();
    take(agent);
  };
  const press = (event: KeyboardEvent) => {
    const last = Math.max(0, (found?.length ?? 0) - 1);
    if (event.key === 'Escape') return isOpen ? close() : input.current?.blur();
    if (event.key === 'Enter') return choose(found?.[chosen]);
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    setOpen(true);
    setChosen(Math.min(Math.max(chosen + (event.key === 'ArrowDown' ? 1 : -1), 0), last));
  };
  return { isOpen, setOpen, chosen, choose, press, close };
}

type ResultsProps = {
  readonly id: string;
  readonly shows: boolean;
  readonly found: readonly Found[] | undefined;
  readonly note: string;
  readonly chosen: number;
  readonly choose: (agent: Found) => void;
};

function Results({ id, shows, found, note, chosen, choose }: ResultsProps) {
  const agent = found?.[chosen];
  return (
    <div class="results" hidden={!shows}>
      <div id={id} role="listbox" aria-label={texts.search.results}>
        {found?.map((agent, i) => (
          // The input keeps the focus: aria-activedescendant names the chosen option.
          <div
            key={agent.id}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === chosen}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(agent)}
          >
            <Identicon address={agent.id} size={24} />
            <bdi class="name">{agent.name}</bdi>
            {agent.isClaimed && <Badge />}
            {/* An option cannot contain a focus. The price of the chosen one stands below the list for the keyboard. */}
            <span class="amount" data-tip={weiText(BigInt(agent.ticketPrice))} data-tip-end="">
              {etherText(BigInt(agent.ticketPrice))}
            </span>
          </div>
        ))}
      </div>
      {agent && (
        <p class="muted small num">
          {texts.search.price} <bdi>{agent.name}</bdi> <Amount wei={agent.ticketPrice} />
        </p>
      )}
      <p class="muted small" role="status">
        {shows ? note : ''}
      </p>
    </div>
  );
}

/** Searches for the text a moment after the last key. */
function useResults(text: string): { readonly found: readonly Found[] | undefined; readonly note: string } {
  const { connection } = useApp();
  const [state, setState] = useState<{ readonly found?: readonly Found[]; readonly note: string }>({ note: '' });
  const q = text.trim();
  useEffect(() => {
    if (q.length < MIN_LENGTH) return setState({ note: '' });
    const abort = new AbortController();
    const ask = async () => {
      try {
        const { nodes } = (await connection.query(search, { q }, abort.signal)).search;
        const note =
          nodes.length === 0 ? texts.search.none : counted(nodes.length, texts.search.found, texts.search.foundMany);
        setState({ found: nodes, note });
      } catch (error) {
        if (abort.signal.aborted) return;
        setState({
          note: error instanceof RequestError ? texts.problems[error.problem.kind].title : texts.search.failed,
        });
      }
    };
    const timer = setTimeout(ask, PAUSE_MS);
    setState(({ found }) => ({ ...(found && { found }), note: texts.search.searching }));
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [q, connection]);
  return { found: state.found, note: state.note };
}
