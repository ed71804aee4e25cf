// node:http with pg, without a framework.
import { createServer } from 'node:http';
import { agents, openPool } from './reads.mjs';

const pool = openPool(process.argv[2]);
const server = createServer(async (_, res) => {
  try {
    const body = Buffer.from(await agents(pool));
    res.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length }).end(body);
  } catch (error) {
    res.writeHead(500).end(String(error));
  }
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready at http://127.0.0.1:${server.address().port}\n`));
