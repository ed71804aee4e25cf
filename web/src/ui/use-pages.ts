import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../app-context.js';
import { type Problem, problemFrom } from '../graphql/problem.js';
import { texts } from '../texts.js';
import { useKept } from './use-kept.js';
import { useRetry } from './use-retry.js';

type PageInfo = { readonly endCursor: string | null; readonly hasNextPage: boolean };
/** One page of a list, as GraphQL connections have it. */
export type ListPage<Row> = { readonly pageInfo: PageInfo; readonly nodes: readonly Row[] };

export type Pages<Row> = {
  /** The rows of all pages read so far. undefined until the first page is loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly hasMore: boolean;
  readonly isBusy: boolean;
  /** Why the next page could not be read. The page is read again automatically. */
  readonly problem: Problem | undefined;
  readonly more: () => void;
};

/** The pages that were read after the first one. They belong to the list of this `base` only. */
type Read<Row> = { readonly base: unknown; readonly pages: readonly ListPage<Row>[] };

type Trial = {
  readonly base: unknown;
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
  /** Number of reads in a row that failed. */
  readonly failures: number;
};

/**
 * A list that is read page by page with cursors. `first` is the first page if the view has it already; with `isFirstGiven:
 * false`, the list reads it immediately. `read` reads the page after a cursor; null asks for the first page, which only such a list
 * does. When `base` changes, the list starts again. Back restores the list with this name, including all pages that were read.
 */
export function usePages<Row>(
  name: string,
  base: unknown,
  first: ListPage<Row> | undefined,
  read: (after: string | null) => Promise<ListPage<Row> | undefined>,
  { isFirstGiven = true }: { readonly isFirstGiven?: boolean } = {},
): Pages<Row> {
  const { announce } = useApp();
  const idle: Trial = { base, isBusy: false, problem: undefined, failures: 0 };
  const [kept, keep] = useKept<Read<Row> | undefined>(name, undefined);
  const [trial, setTrial] = useState(idle);
  const pages = kept && kept.base === base ? kept.pages : [];
  const state = trial.base === base ? trial : idle;
  const all = [...(first ? [first] : []), ...pages];
  const last = all.at(-1)?.pageInfo;
  const load = async (after: string | null) => {
    setTrial({ ...state, isBusy: true });
    try {
      const page = await read(after);
      setTrial(idle);
      if (page) keep({ base, pages: [...pages, page] });
    } catch (error) {
      const problem = problemFrom(error, state.failures);
      if (state.failures === 0) announce(texts.problems[problem.kind].title);
      setTrial({ base, isBusy: false, problem, failures: state.failures + 1 });
    }
  };
  useEffect(() => {
    if (!isFirstGiven && pages.length === 0) void load(null);
  }, [base, isFirstGiven]);
  const more = () => {
    if (!state.isBusy) void load(last?.endCursor ?? null);
  };
  useRetry(state.problem, more);
  return {
    rows: all.length === 0 ? undefined : all.flatMap(({ nodes }) => nodes),
    hasMore: last?.hasNextPage === true,
    isBusy: state.isBusy,
    problem: state.problem,
    more,
  };
}
