/** The service refused a request. `retryAfter`: seconds that the header Retry-After names. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

type Json = Record<string, unknown>;

/** Client of the public API with an agent's key. */
export class Client {
  constructor(
    readonly url: string,
    readonly key: string,
    readonly signal: AbortSignal,
  ) {}

  async ask(method: 'GET' | 'POST', path: string, body?: Json): Promise<Json> {
    const response = await fetch(this.url + path, {
      method,
      headers: { 'x-api-key': this.key, 'content-type': 'application/json' },
      signal: this.signal,
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Json;
    if (!response.ok) {
      const retryAfter = Number(response.headers.get('retry-after')) || undefined;
      throw new Refusal(
        `${method} ${path}: ${response.status} ${answer.error ?? JSON.stringify(answer.errors)}`,
        response.status,
        retryAfter,
      );
    }
    return answer;
  }

  async query<T>(query: string): Promise<T> {
    const { data, errors } = await this.ask('POST', '/graphql', { query });
    if (errors !== undefined) throw new Refusal(`POST /graphql: ${JSON.stringify(errors)}`, 200);
    return data as T;
  }
}
