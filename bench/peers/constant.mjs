// node:http with one constant answer, taken with its headers from the service at the start: the limit of a cached answer on Node.js.
// It reads neither the path nor the body of a request.
import { createServer } from 'node:http';

const [, , service, path, body] = process.argv;
const request = body === undefined ? {} : { method: 'POST', body };
const answer = await fetch(service + path, {
  ...request,
  headers: { 'accept-encoding': 'identity', 'content-type': 'application/json', accept: 'application/json' },
});
if (!answer.ok) throw new Error(`${path} answers ${answer.status}`);
// node:http writes these itself.
const { date: _, connection: __, 'keep-alive': ___, ...headers } = Object.fromEntries(answer.headers);
const bytes = Buffer.from(await answer.arrayBuffer());
const server = createServer((_, res) => res.writeHead(answer.status, headers).end(bytes));
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready at http://127.0.0.1:${server.address().port}\n`));
