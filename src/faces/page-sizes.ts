/** Page size of a list: what a request gets without naming one, and the most it may ask for. */
export type PageSize = { readonly fallback: number; readonly max: number };

/** Page sizes of the lists, for both faces. */
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

/** Largest number that a filter, a page number or the number of a season may be. */
export const MAX_COUNT = 999_999_999;
