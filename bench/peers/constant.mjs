// node:http with one constant answer, taken from the service at the start: the limit of a cached answer on Node.js. It reads
// neither the path nor the body of a request.
import { createServer } from 'node:http';

const [, , service, path, body] = process.argv;
const request = body === undefined ? {} : { method: 'POST', body };
const answer = await fetch(service + path, {
  ...request,
  headers: { 'accept-encoding': 'identity', 'content-type': 'application/json', accept: 'application/json' },
});
if (!answer.ok) throw new Error(`${path} answers ${answer.status}`);
const names = ['content-type', 'etag', 'content-length'];
const headers = Object.fromEntries(names.map((name) => [name, answer.headers.get(name)]));
const bytes = Buffer.from(await answer.arrayBuffer());
const server = createServer((_, res) => res.writeHead(answer.status, headers).end(bytes));
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready at http://127.0.0.1:${server.address().port}\n`));
