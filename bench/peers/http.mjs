// node:http with pg, without a framework.
import { createServer } from 'node:http';
import { agents, feed, leaderboard, openPool, standings, trending } from './reads.mjs';

const pool = openPool(process.argv[2]);
const reads = {
  '/api/agents?limit=20': agents,
  '/api/leaderboard': leaderboard,
  '/api/trending': trending,
  '/api/feed': feed,
  '/api/seasons/leaderboard': standings,
};
const server = createServer(async (req, res) => {
  const read = reads[req.url];
  if (read === undefined) {
    res.writeHead(404).end();
    return;
  }
  try {
    const body = Buffer.from(await read(pool));
    res.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length }).end(body);
  } catch (error) {
    res.writeHead(500).end(String(error));
  }
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready at http://127.0.0.1:${server.address().port}\n`));
