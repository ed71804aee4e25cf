import type { ComponentType } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { problemOf, RequestError } from '../../graphql/problem.js';
import { Card } from '../../ui/card.js';
import { ProblemView } from '../../ui/problem-view.js';
import { Bar } from '../../ui/skeleton.js';
import { useScript } from '../../ui/use-script.js';
import type { Chapter } from './reference/chapters.js';
import type { Endpoint, OpenApi } from './reference/openapi.js';
import { developerTexts } from './texts.js';

/**
 * Number of placeholder rows. Together they are higher than any window, so that nothing visible moves when the reference arrives.
 */
const WAITING_ROWS = 60;

type ReferenceProps = {
  readonly chapters: readonly Chapter[];
  readonly document: OpenApi;
  readonly search: string;
  readonly clearSearch: () => void;
  readonly tryOut: (endpoint: Endpoint) => void;
};
type Loaded = Pick<ReferenceProps, 'chapters' | 'document'> & { readonly Reference: ComponentType<ReferenceProps> };

/** The reference with its search. Its script, the chapters and the OpenAPI document load after the first view. */
export function ReferenceCard({ tryOut }: Pick<ReferenceProps, 'tryOut'>) {
  const [search, setSearch] = useState('');
  const clearSearch = useCallback(() => setSearch(''), []);
  const { loaded, problem, load } = useScript(readReference);
  const words = developerTexts.reference;
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
          <loaded.Reference {...loaded} search={search} clearSearch={clearSearch} tryOut={tryOut} />
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

async function readReference(): Promise<Loaded> {
  const [{ Reference }, { chaptersOf }, markdown, document] = await Promise.all([
    import('./reference/reference.js'),
    import('./reference/chapters.js'),
    read('/docs.md'),
    read('/openapi.json'),
  ]);
  return { chapters: chaptersOf(markdown), document: JSON.parse(document), Reference };
}

async function read(path: string): Promise<string> {
  const response = await fetch(path);
  if (response.ok) return response.text();
  const { error = '', hint = '' } = (await response.json()) as { readonly error?: string; readonly hint?: string };
  const code = response.status === 429 ? 'RATE_LIMITED' : '';
  const refusal = { message: error, extensions: { code, hint } };
  throw new RequestError(problemOf([refusal], response.headers.get('retry-after'), Date.now()));
}
