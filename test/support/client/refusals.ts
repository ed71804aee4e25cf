/** The failed answer that a client gets when it records a trade. */
export type Refusal = {
  readonly status: number;
  readonly code: string;
  readonly error: string;
  readonly retryAfter?: number;
  /** Whether the service has recorded the trade, and only its answer was lost. */
  readonly isLost?: boolean;
};
export const HAS_URL: Refusal = { status: 400, code: 'THESIS_HAS_URL', error: 'Thesis must not contain URLs' };
/** The client waits at most 60 s, so with this `retryAfter` it gives up. */
export const LIMITED: Refusal = { status: 429, code: 'RATE_LIMITED', error: 'Too many requests', retryAfter: 600 };
export const FAILED: Refusal = { status: 500, code: 'INTERNAL', error: 'Internal server error' };

/** Sends a request. If it would record a trade and there is a refusal, the refusal is the answer instead. */
export async function sendUnless(refusal: Refusal | undefined, url: string, send: () => Promise<Response>): Promise<Response> {
  if (!refusal || !/\/api\/tickets\/(buy|sell)$/.test(url)) return send();
  const { status, retryAfter, isLost, ...body } = refusal;
  if (isLost) await send();
  return Response.json(
    { success: false, ...body, hint: 'Do this.', ...(retryAfter ? { retryAfter } : {}) },
    { status, headers: retryAfter ? { 'retry-after': String(retryAfter) } : {} },
  );
}
