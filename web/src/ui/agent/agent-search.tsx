import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useApp } from '../../app-context.js';
import { problemFrom } from '../../graphql/problem.js';
import { texts } from '../../texts.js';
import { addressOf } from '../../wallet/provider.js';
import { loadScript } from '../load-script.js';
import type { Found, Results } from './search-results.js';

type Part = typeof import('./search-results.js');

/** Pause after the last key before the search begins. */
const PAUSE_MS = 150;
/** Minimum number of characters that the service searches for. The maximum is 50. */
const MIN_LENGTH = 2;

type Props = {
  readonly label: string;
  readonly onChoose: (agent: Found) => void;
  /** Called with a complete address when the reader chooses its wallet. Without it, the search does not offer wallets. */
  readonly onWallet?: (address: string) => void;
  readonly input?: { readonly current: HTMLInputElement | null };
  /** Content at the end of the input, such as the hint of a key. */
  readonly children?: ComponentChildren;
};

/** An input that finds agents while the reader types, and calls `onChoose` with the chosen agent. */
export function AgentSearch({ label, onChoose, onWallet, input: given, children }: Props) {
  const ownInput = useRef<HTMLInputElement>(null);
  const input = given ?? ownInput;
  const [text, setText] = useState('');
  const wallet = (onWallet && addressOf(text.trim())) ?? '';
  const { part, found = NONE, note, isSimilar, isPresent } = useResults(text, wallet);
  const list = useId();
  const count = part ? found.length + (wallet ? 1 : 0) : 0;
  const { isOpen, setOpen, chosen, choose, press, close } = useChoice({ found, count, isPresent }, input, (i) => {
    const agent = found[i];
    setText('');
    if (agent) onChoose(agent);
    else onWallet?.(wallet);
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
        aria-activedescendant={shows && chosen < count ? `${list}-${chosen}` : undefined}
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
      <div class="results" hidden={!shows}>
        <Note>{shows && isSimilar ? texts.search.similar : ''}</Note>
        {part ? (
          <part.Options id={list} {...{ found, wallet, chosen, choose }} />
        ) : (
          <div id={list} role="listbox" aria-label={texts.search.results} />
        )}
        <Note>{shows ? note : ''}</Note>
      </div>
    </search>
  );
}

/** A line that screen readers speak when it changes. */
function Note({ children }: { readonly children: string }) {
  return (
    <p class="muted small" role="status">
      {children}
    </p>
  );
}

/** State of the list of results: which result is chosen, and the handler of the keys that choose one. */
function useChoice(
  { found, count, isPresent }: { readonly found: readonly Found[]; readonly count: number; readonly isPresent: boolean },
  input: { readonly current: HTMLInputElement | null },
  take: (i: number) => void,
) {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  // When the results change, the first one is chosen.
  useEffect(() => setChosen(0), [found, count]);
  const close = () => setOpen(false);
  const choose = (i: number) => {
    if (i >= count) return;
    close();
    input.current?.blur();
    take(i);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return isOpen ? close() : input.current?.blur();
    // While a search runs, the list still has the results for the text before, so Enter does nothing.
    if (event.key === 'Enter') return isPresent ? choose(chosen) : undefined;
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    setOpen(true);
    setChosen(Math.min(Math.max(chosen + (event.key === 'ArrowDown' ? 1 : -1), 0), Math.max(0, count - 1)));
  };
  return { isOpen, setOpen, chosen, choose, press, close };
}

/** The results before a search. `of` is the text whose results they are. */
const NOTHING: Results & { readonly of: string } = { of: '', note: '', isSimilar: false };
const NONE: readonly Found[] = [];

/** Searches for the text a moment after the last key. */
function useResults(text: string, wallet: string) {
  const { connection } = useApp();
  const [part, setPart] = useState<Part | undefined>(undefined);
  const [results, setResults] = useState(NOTHING);
  const q = text.trim();
  useEffect(() => {
    if (q.length < MIN_LENGTH) return setResults(NOTHING);
    const abort = new AbortController();
    const ask = async () => {
      try {
        const loaded = await loadScript(() => import('./search-results.js'));
        setPart(loaded);
        const read = await loaded.find({ connection, q, wallet }, abort.signal);
        if (!abort.signal.aborted) setResults({ ...read, of: q });
      } catch (error) {
        if (!abort.signal.aborted) setResults({ ...NOTHING, note: texts.problems[problemFrom(error).kind].title });
      }
    };
    const timer = setTimeout(ask, PAUSE_MS);
    setResults((before) => ({ ...before, note: texts.search.searching }));
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [q, wallet, connection]);
  return { part, ...results, isPresent: results.of === q };
}
