import type { ComponentType } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Problem, problemFrom, problemOf, RequestError } from '../../graphql/problem.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { ProblemView } from '../../ui/problem-view.js';
import { Bar } from '../../ui/skeleton.js';
import { useRetry } from '../../ui/use-retry.js';
import type { Endpoint, OpenApi } from './reference/openapi.js';

/**
 * Number of placeholder rows. They are higher than any window, so that nothing visible moves when the reference
 * arrives.
 */
const WAITING_ROWS = 60;

type ReferenceProps = {
  readonly document: OpenApi;
  readonly search: string;
  readonly tryOut: (endpoint: Endpoint) => void;
};
type Loaded = { readonly document: OpenApi; readonly Reference: ComponentType<ReferenceProps> };

/** The reference with its search. Its script and the OpenAPI document load after the first view. */
export function ReferenceCard({ tryOut }: Pick<ReferenceProps, 'tryOut'>) {
  const [search, setSearch] = useState('');
  const { loaded, problem, load } = useReference();
  const words = texts.developers.reference;
  return (
    <Card
      title={words.title}
      class="reference"
      actions={
        <input
          type="search"
          class="field"
          aria-label={words.search}
          placeholder={words.search}
          autoComplete="off"
          spellcheck={false}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      }
    >
      <div class="body" aria-busy={!loaded && !problem}>
        {loaded ? (
          <loaded.Reference document={loaded.document} search={search} tryOut={tryOut} />
        ) : problem ? (
          <ProblemView problem={problem} retry={load} />
        ) : (
          Array.from({ length: WAITING_ROWS }, (_, i) => (
            <p key={i} class="waiting">
              <Bar width={50 - (i % 4) * 6} />
            </p>
          ))
        )}
      </div>
    </Card>
  );
}

function useReference() {
  const [loaded, setLoaded] = useState<Loaded | undefined>();
  const [problem, setProblem] = useState<Problem | undefined>();
  const failures = useRef(0);
  const load = useCallback(async () => {
    try {
      const [{ Reference }, document] = await Promise.all([import('./reference/reference.js'), readDocument()]);
      setLoaded({ document, Reference });
    } catch (error) {
      setProblem(problemFrom(error, failures.current++));
    }
  }, []);
  useEffect(() => void load(), [load]);
  useRetry(loaded ? undefined : problem, load);
  return { loaded, problem, load };
}

async function readDocument(): Promise<OpenApi> {
  const response = await fetch('/openapi.json');
  if (response.ok) return (await response.json()) as OpenApi;
  const { error = '', hint = '' } = (await response.json()) as { readonly error?: string; readonly hint?: string };
  const code = response.status === 429 ? 'RATE_LIMITED' : '';
  const refusal = { message: error, extensions: { code, hint } };
  throw new RequestError(problemOf([refusal], response.headers.get('retry-after'), Date.now()));
}
