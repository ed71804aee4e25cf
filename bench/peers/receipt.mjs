// Minimal recording of a purchase: one receipt from the chain, one row.
import { Agent, createServer, request } from 'node:http';
import { openPool } from './reads.mjs';

const [, , database, rpc] = process.argv;
const pool = openPool(database);
await pool.query(
  `create table if not exists recorded (tx_hash text primary key, agent text not null, amount int not null,
     block_number bigint not null, created_at timestamptz not null default now())`,
);
const insert = {
  name: 'record',
  text: 'insert into recorded (tx_hash, agent, amount, block_number) values ($1, $2, $3, $4) returning created_at',
};
let id = 0;
const agent = new Agent({ keepAlive: true });
/** Reads the receipt with node:http, because fetch would take longer than all other work. */
async function receiptOf(txHash) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method: 'eth_getTransactionReceipt', params: [txHash] });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const answer = await new Promise((resolve, reject) => {
    const asked = request(rpc, { method: 'POST', agent, headers }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts).toString()));
    });
    asked.on('error', reject).end(body);
  });
  return JSON.parse(answer).result;
}
const server = createServer(async (req, res) => {
  const parts = [];
  for await (const part of req) parts.push(part);
  try {
    const { txHash, agentAddress, amount } = JSON.parse(Buffer.concat(parts));
    const receipt = await receiptOf(txHash);
    if (receipt?.status !== '0x1') throw new Error('not verified');
    const { rows } = await pool.query({
      ...insert,
      values: [txHash, agentAddress, amount, Number(receipt.blockNumber)],
    });
    const body = JSON.stringify({ success: true, trade: { txHash, amount, createdAt: rows[0].created_at } });
    res.writeHead(201, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
  } catch (error) {
    res.writeHead(400).end(String(error));
  }
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`ready at http://127.0.0.1:${server.address().port}\n`));
