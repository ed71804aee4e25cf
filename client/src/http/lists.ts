import type { Answer, Input, Operation, Transport } from './transport.js';

type Page<T, A> = {
  readonly answer: A;
  readonly rows: readonly T[];
  readonly next?: Readonly<Record<string, unknown>>;
};

/** A list of the service. `for await` reads page after page; `page()` reads the first page with its totals. */
export class List<T, A> implements AsyncIterable<T> {
  constructor(private readonly read: (position: Readonly<Record<string, unknown>>) => Promise<Page<T, A>>) {}

  async page(): Promise<A> {
    return (await this.read({})).answer;
  }

  /** The first entries, at most `count`. */
  async take(count: number): Promise<T[]> {
    const rows: T[] = [];
    if (count > 0) {
      for await (const row of this) if (rows.push(row) >= count) break;
    }
    return rows;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let next: Readonly<Record<string, unknown>> | undefined = {};
    while (next) {
      const page: Page<T, A> = await this.read(next);
      yield* page.rows;
      next = page.rows.length > 0 ? page.next : undefined;
    }
  }
}

/** The type of the entries of an answer's list. */
type Row<O extends Operation, F> = F extends keyof Answer<O> ? (Answer<O>[F] extends readonly (infer T)[] ? T : never) : never;

/**
 * Returns the part of the query that reads the page after an answer. undefined after the last page. `seen` counts the rows up to
 * the end of this page, and `query` is the query of this page.
 */
type Continue<A> = (answer: A, seen: number, query: Readonly<Record<string, unknown>>) => Page<unknown, A>['next'];

/**
 * Creates a list. `field` names the rows in the answer, `size` is the page size unless the caller gives a `limit`, and `after`
 * finds the next page. Without `after`, the list has one page. `reversed` reverses the rows of each page.
 */
export function list<O extends Operation, F extends string & keyof Answer<O>>(
  transport: Transport,
  operation: O,
  input: Input<O>,
  {
    field,
    size,
    after,
    reversed,
  }: {
    readonly field: F;
    readonly size?: number;
    readonly after?: Continue<Answer<O>>;
    readonly reversed?: true;
  },
): List<Row<O, F>, Answer<O>> {
  const given = (input as { query?: Readonly<Record<string, unknown>> }).query;
  return new List(async (position) => {
    const query = { ...(size === undefined ? {} : { limit: size }), ...given, ...position };
    const answer = await transport.request(operation, { ...input, query } as Input<O>);
    const rows = answer[field] as readonly Row<O, F>[];
    const page = Number((query as { page?: number }).page ?? 1);
    const seen = (page - 1) * Number((query as { limit?: number }).limit ?? rows.length) + rows.length;
    const next = after?.(answer, seen, query);
    return { answer, rows: reversed ? rows.toReversed() : rows, ...(next ? { next } : {}) };
  });
}

/** For lists with numbered pages: the number of the next page, while the answer counts more rows than were read. */
export function byPage(
  answer: object,
  seen: number,
  query: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const { pagination, total, totalAgents } = answer as Record<string, unknown>;
  const rows = (pagination as { total: number } | undefined)?.total ?? total ?? totalAgents ?? 0;
  return seen < Number(rows) ? { page: Number(query.page ?? 1) + 1 } : undefined;
}
