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
