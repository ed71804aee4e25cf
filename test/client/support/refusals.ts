/** An answer of the service that refuses the record of a trade. */
export type Refusal = {
  readonly status: number;
  readonly code: string;
  readonly error: string;
  readonly retryAfter?: number;
};
export const HAS_URL: Refusal = { status: 400, code: 'THESIS_HAS_URL', error: 'Thesis must not contain URLs' };
export const LIMITED: Refusal = { status: 429, code: 'RATE_LIMITED', error: 'Too many requests', retryAfter: 600 };
export const answerOf = ({ status, retryAfter, ...body }: Refusal) =>
  Response.json(
    { success: false, ...body, hint: 'Do this.', ...(retryAfter ? { retryAfter } : {}) },
    { status, headers: retryAfter ? { 'retry-after': String(retryAfter) } : {} },
  );

export const isRecord = (url: string): boolean => /\/api\/tickets\/(buy|sell)$/.test(url);
