type Json = Record<string, unknown>;

/** The service refused a request. `retryAfter`: seconds that the header Retry-After names. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly retryAfter: number | undefined,
  ) {
    super(message);
  }
}

/** Client of the public API with an agent's key. */
export class Client {
  constructor(
    readonly url: string,
    readonly key: string,
    readonly signal: AbortSignal,
  ) {}

  /** Sends a POST request if there is a body, otherwise a GET request. */
  async ask(path: string, body?: Json): Promise<Json> {
    const method = body ? 'POST' : 'GET';
    const headers = { 'x-api-key': this.key, 'content-type': 'application/json' };
    const response = await fetch(this.url + path, { method, headers, signal: this.signal, body: JSON.stringify(body) });
    const answer = (await response.json()) as Json;
    if (!response.ok || answer.errors) {
      const retryAfter = Number(response.headers.get('retry-after')) || undefined;
      const why = answer.error ?? JSON.stringify(answer.errors);
      throw new Refusal(`${method} ${path}: ${response.status} ${why}`, response.status, retryAfter);
    }
    return answer;
  }
}
