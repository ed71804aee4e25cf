import { once } from 'node:events';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { type ChainRelay, startChainRelay } from '../../../src/server/chain-relay/chain-relay.js';
import { testChain } from '../../support/chain/chain.js';
import { HANG_MS } from '../../support/hang.js';
import { chainPort } from '../../support/service/process.js';
import { testTimes } from '../../support/times.js';

const ORIGIN = 'http://127.0.0.1:4000';
const ENDLESS = { data: '0x5b600056', gas: '0xffffffffffffff' };
const call = (method: string, ...params: unknown[]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

describe('simulations that web pages send through the chain relay', () => {
  let relay: ChainRelay;
  before(async () => {
    const { rpcUrl } = await testChain();
    relay = await startChainRelay({
      target: rpcUrl,
      port: Number(await chainPort()),
      isAllowed: (origin) => origin === ORIGIN,
      times: testTimes,
    });
  });
  after(() => relay?.close());

  const post = async (body: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(relay.url, { method: 'POST', body, headers, signal: AbortSignal.timeout(HANG_MS) });
    return (await answer.json()) as { result?: unknown; error: { code: number; message: string } };
  };
  const overWebSocket = async (body: string) => {
    const socket = new WebSocket(relay.url.replace('http', 'ws'), { headers: { origin: ORIGIN } });
    await once(socket, 'open');
    socket.send(body);
    const [data] = await once(socket, 'message', { signal: AbortSignal.timeout(HANG_MS) });
    socket.close();
    return JSON.parse(String(data)) as Awaited<ReturnType<typeof post>>;
  };

  it('run out of gas, so that the chain keeps mining', async () => {
    for (const send of [(body: string) => post(body, { origin: ORIGIN }), overWebSocket]) {
      for (const method of ['eth_call', 'eth_estimateGas', 'eth_createAccessList']) {
        const { error } = await send(call(method, ENDLESS, 'latest'));
        expect(error.message, method).to.match(/out ?of ?gas/i);
        const refused = await send(call(method, { data: '0x' }, 'latest', {}));
        expect([refused.error.code, refused.error.message.includes('overrides')], method).to.deep.equal([-32602, true]);
      }
    }
    expect(await post(call('evm_mine'))).to.have.property('result');
  });
});
