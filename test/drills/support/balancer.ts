import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { listen } from '../../support/service/listen.js';

/** A proxy that sends each request to the next replica, and to another one if a replica does not accept the connection. */
export class Balancer {
  url = '';
  targets: string[] = [];
  #turn = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Balancer> {
    const server = createServer();
    const balancer = new Balancer(server);
    server.on('request', (req: IncomingMessage, res: ServerResponse) => void balancer.#pass(req, res));
    balancer.url = await listen(server);
    return balancer;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  async #pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    this.#try(
      req,
      body,
      res,
      [...this.targets].map((_, i, all) => all[(this.#turn + i) % all.length] as string),
    );
    this.#turn++;
  }

  #try(req: IncomingMessage, body: Buffer, res: ServerResponse, [target, ...others]: readonly string[]): void {
    if (target === undefined) {
      res.writeHead(502).end('{}');
      return;
    }
    const passed = request(target + req.url, { method: req.method, headers: req.headers, agent: false }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    passed.on('error', (error: NodeJS.ErrnoException) => {
      // Only a refused connection proves that the replica has not seen the request.
      if (error.code === 'ECONNREFUSED') this.#try(req, body, res, others);
      else if (!res.headersSent) res.writeHead(502).end(JSON.stringify({ error: error.code }));
    });
    passed.end(body);
  }
}
