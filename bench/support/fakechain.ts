import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ticketMarket } from '../../src/chain/contract-interface.js';
import { blockHash, FEES } from '../dataset/facts.js';
import { CHAIN_ID } from '../dataset/fill.js';

/**
 * A JSON-RPC server that plays a chain which stands still at the last block of the data. The index has nothing to do, so only the
 * service is measured.
 */
export async function startFakeChain(head: number): Promise<{ readonly url: string; stop(): void }> {
  const hex = (value: number) => `0x${value.toString(16)}`;
  const block = (tag: string) => {
    const number = /^0x/.test(tag) ? Number(tag) : head;
    if (number > head) return null;
    const time = hex(Math.floor(Date.now() / 1000) - (head - number));
    return { number: hex(number), hash: blockHash(number), parentHash: blockHash(number - 1), timestamp: time };
  };
  const call = (data: string) => {
    const parsed = ticketMarket.parseTransaction({ data });
    if (parsed?.name === 'feeSplit') return ticketMarket.encodeFunctionResult('feeSplit', [FEES.protocolBps, FEES.agentBps]);
    if (parsed?.name === 'marketsOf') {
      const [wallets] = parsed.args as unknown as [string[]];
      return ticketMarket.encodeFunctionResult('marketsOf', [wallets.map(() => 1n), wallets.map(() => 0n)]);
    }
    throw new Error(`no call of ${parsed?.name}`);
  };
  const answer = ({ id, method, params }: { id: unknown; method: string; params: unknown[] }) => {
    const result = () => {
      switch (method) {
        case 'eth_chainId':
          return hex(CHAIN_ID);
        case 'eth_blockNumber':
          return hex(head);
        case 'eth_getCode':
          // Any code: the service refuses an address without code.
          return '0x60';
        case 'eth_getLogs':
          return [];
        case 'eth_getBalance':
          return '0xde0b6b3a7640000';
        case 'eth_getBlockByNumber':
          return block(String(params[0]));
        case 'eth_call':
          return call((params[0] as { data: string }).data);
        default:
          throw new Error(`no ${method}`);
      }
    };
    try {
      return { jsonrpc: '2.0', id, result: result() };
    } catch (error) {
      return { jsonrpc: '2.0', id, error: { code: -32601, message: String(error) } };
    }
  };
  const server = createServer(async (req, res) => {
    // The service tries to subscribe to new blocks over a WebSocket. This chain refuses that.
    if (req.method !== 'POST') return res.writeHead(405).end();
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part);
    const asked = JSON.parse(Buffer.concat(parts).toString());
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
