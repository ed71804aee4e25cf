import type { Context } from 'koa';
import { html, joined } from '../../server/http/html.js';
import { problemOf } from '../../server/http/problem.js';
import type { FirstView, Head } from './first-views.js';

/** Returns the JSON that a request with this query gets from this address. */
export type AnswerQuery = (query: string, variables: Readonly<Record<string, unknown>>, ip: string) => Promise<string>;

type First = {
  /** The query and its answer, for the page. undefined: the page sends its query itself, and shows what the service says. */
  readonly json?: string;
  readonly data?: unknown;
  readonly status: number;
};
type Answer = {
  readonly data?: unknown;
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[];
};

/** Returns a function that reads the first answer of a page. `queries` are the documents of the dashboard. */
export function firstAnswers(queries: readonly string[], answer: AnswerQuery) {
  const byName = new Map(queries.map((text) => [/^query (\w+)/.exec(text)?.[1], text]));
  return async ({ operation, variablesOf }: FirstView, ctx: Context): Promise<First> => {
    const query = byName.get(operation);
    const variables = variablesOf(ctx.params, ctx.search !== '');
    if (query === undefined || variables === undefined) return { status: 200 };
    try {
      const text = await answer(query, variables, ctx.state.ip);
      const { data, errors = [] } = JSON.parse(text) as Answer;
      const json = `{"operation":"${operation}","variables":${JSON.stringify(variables)},"answer":${text}}`;
      if (errors.length === 0) return { json, data, status: 200 };
      return { status: errors.some(({ extensions }) => MISSING.has(extensions?.code)) ? 404 : 200 };
    } catch (error) {
      const { error: refusal, unexpected } = problemOf(error);
      if (unexpected) throw error;
      // For example, the path contains a character that no agentId has.
      return { status: refusal.status === 400 ? 404 : 200 };
    }
  };
}

const MISSING: ReadonlySet<string | undefined> = new Set(['AGENT_NOT_FOUND', 'SEASON_NOT_FOUND']);

/** Maximum length of a description, in characters. Search engines show less than that. */
const MAX_DESCRIPTION = 300;

/** The document of a page with its own head, and with the first answer as data that no browser executes. */
export function filled(document: string, url: string, head: Head, json: string | undefined): string {
  const title =
    head.title === undefined ? (/<title>(.*)<\/title>/.exec(document)?.[1] ?? '') : `${head.title} · Curvet`;
  const description = [...head.description].slice(0, MAX_DESCRIPTION).join('');
  const tags = [
    html`<meta name="description" content="${description}">`,
    html`<title>${title}</title>`,
    html`<link rel="canonical" href="${url + head.path}">`,
    ...Object.entries({ site_name: 'Curvet', type: 'website', title, description, url: url + head.path }).map(
      ([name, value]) => html`<meta property="og:${name}" content="${value}">`,
    ),
    html`<meta name="twitter:card" content="${head.image ? 'summary_large_image' : 'summary'}">`,
    ...(head.image
      ? [
          html`<meta property="og:image" content="${url + head.image}">`,
          html`<meta property="og:image:width" content="1200">`,
          html`<meta property="og:image:height" content="630">`,
        ]
      : []),
  ];
  // Nothing in a text may end the element.
  const data = json && `<script type="application/json" id="first-answer">${json.replaceAll('<', '\\u003c')}</script>`;
  return document
    .replace(/ *<meta name="description".*\n/, '')
    .replace(/<title>.*<\/title>/, () => joined(tags, '\n    ').text)
    .replace('</body>', () => `${data ?? ''}</body>`);
}
