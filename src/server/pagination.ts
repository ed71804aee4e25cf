import { z } from 'zod';

/** Page size of a list: the default, and the maximum that a request may ask for. */
export type PageSize = { readonly fallback: number; readonly max: number };

/** Page sizes of the lists, for REST and GraphQL. */
export const pageSizes = {
  list: { fallback: 20, max: 100 },
  search: { fallback: 20, max: 50 },
  trends: { fallback: 20, max: 50 },
  holdings: { fallback: 100, max: 100 },
  standings: { fallback: 50, max: 100 },
  notifications: { fallback: 50, max: 100 },
  topAgents: { fallback: 5, max: 20 },
  candles: { fallback: 50, max: 500 },
} as const satisfies Readonly<Record<string, PageSize>>;

/** Maximum of integers in filters and of season numbers. */
export const MAX_COUNT = 999_999_999;

/** Position of an answer in a list that is read page by page. */
export const pagination = z
  .object({
    page: z.int().describe('Number of this page, from 1.'),
    limit: z.int().describe('Maximum number of rows per page.'),
    total: z.int().describe('Number of rows on all pages together.'),
    totalPages: z.int().describe('Number of pages. 0 if the list is empty.'),
    hasMore: z.boolean().describe('Whether a page follows this one.'),
  })
  .meta({ id: 'Pagination' });

export function paginationOf(page: number, limit: number, total: number): z.input<typeof pagination> {
  const totalPages = Math.ceil(total / limit);
  return { page, limit, total, totalPages, hasMore: page < totalPages };
}
