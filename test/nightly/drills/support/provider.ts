import { createServer, type Server } from 'node:http';
import { listen } from '../../../support/service/listen.js';

/** An external provider of prices, texts and traces. Its URLs contain a key. Requests with traces also have a key in a header. */
export class Provider {
  /**
   * The different requests so far, each as its subject and its key, such as `price first`. For traces, the
   * key in the URL and the key in the header follow.
   */
  readonly asked = new Set<string>();
  /** Keys that the provider refuses. */
  readonly revoked = new Set<string>();
  #url = '';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Provider> {
    const server = createServer();
    const provider = new Provider(server);
    server.on('request', (req, res) => {
      req.resume();
      const [, key = '', what = ''] = /^\/(\w+)\/(price|text|v1\/traces)/.exec(req.url ?? '') ?? [];
      const header = req.headers.authorization?.replace('Bearer ', '');
      provider.asked.add(what === 'v1/traces' ? `traces ${key} ${header}` : `${what} ${key}`);
      if (provider.revoked.has(key)) res.writeHead(401).end();
      else if (what === 'price') res.setHeader('content-type', 'application/json').end('{"usd":3000}');
      else if (what === 'v1/traces') res.setHeader('content-type', 'application/json').end('{}');
      else res.writeHead(404).end();
    });
    provider.#url = await listen(server);
    return provider;
  }

  /** The variables that the commands of the runbook need for URLs with this key. */
  variables(key: string): Record<string, string> {
    const base = `${this.#url}/${key}`;
    return {
      NEW_TEXT_PROXY: `${base}/text?url={url}`,
      NEW_PRICE_URL: `${base}/price`,
      NEW_COLLECTOR: base,
      NEW_COLLECTOR_HEADERS: `authorization=Bearer%20${key}`,
    };
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
