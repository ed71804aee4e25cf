import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.js';
import { noAnswer, type Problem, RequestError } from '../graphql/problem.js';

type PageInfo = { readonly endCursor: string | null; readonly hasNextPage: boolean };
/** One page of a connection. */
export type ListPage<Row> = { readonly pageInfo: PageInfo; readonly nodes: readonly Row[] };

export type Pages<Row> = {
  /** undefined until the first page is there. */
  readonly rows: readonly Row[] | undefined;
  readonly hasMore: boolean;
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
  readonly more: () => void;
};

type State<Row> = {
  readonly base: unknown;
  readonly pages: readonly ListPage<Row>[];
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
};

/**
 * A list by cursor, page by page. `first` is the first page if the view has it already; otherwise it is read at once.
 * `read` reads the page after a cursor. Another `base` begins the list again.
 */
export function usePages<Row>(
  base: unknown,
  first: ListPage<Row> | undefined,
  read: (after: string | null) => Promise<ListPage<Row> | undefined>,
  { isFirstGiven = true }: { readonly isFirstGiven?: boolean } = {},
): Pages<Row> {
  const { announce } = useApp();
  const empty: State<Row> = { base, pages: [], isBusy: false, problem: undefined };
  const [stored, setState] = useState(empty);
  const state = stored.base === base ? stored : empty;
  const all = [...(first ? [first] : []), ...state.pages];
  const last = all.at(-1)?.pageInfo;
  const load = async (after: string | null) => {
    setState({ ...state, isBusy: true, problem: undefined });
    try {
      const page = await read(after);
      setState({ base, pages: page ? [...state.pages, page] : state.pages, isBusy: false, problem: undefined });
    } catch (error) {
      const problem = error instanceof RequestError ? error.problem : noAnswer(true, Date.now());
      announce(problem.message);
      setState({ ...state, isBusy: false, problem });
    }
  };
  useEffect(() => {
    if (!isFirstGiven) void load(null);
  }, [base, isFirstGiven]);
  return {
    rows: all.length === 0 ? undefined : all.flatMap(({ nodes }) => nodes),
    hasMore: last?.hasNextPage === true,
    isBusy: state.isBusy,
    problem: state.problem,
    more: () => void load(last?.endCursor ?? null),
  };
}
