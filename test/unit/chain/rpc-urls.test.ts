import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { readConfig } from '../../../src/config/config.js';
import { openMetrics } from '../../../src/observe/metrics.js';
import { openChain } from '../../../src/service/chain.js';
import type { Stops } from '../../../src/service/stops.js';
import { answers, replies, status, useNodes } from '../../support/chain/node.js';
import { eventually } from '../../support/service/process.js';
import { manualTimes } from '../../support/times.js';

const CHAIN_ID = 84532;

/** A node of the chain with this id. It answers every other method with code (`0x60`), so any address is a contract. */
const ofChain = (id: number) => replies(({ method }) => ({ result: method === 'eth_chainId' ? `0x${id.toString(16)}` : '0x60' }));

describe('an RPC URL that is unavailable at the start', () => {
  const stops: Stops = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });
  const { node } = useNodes();

  async function open() {
    const [away, good] = [await node(status(503)), await node(ofChain(CHAIN_ID))];
    const config = readConfig({
      RPC_URL: `${away.url},${good.url}`,
      CONTRACT_ADDRESS: `0x${'11'.repeat(20)}`,
      EMBEDDED: '1',
      SOCIAL_TEXT_PROXY: 'https://proxy.test/{url}',
    });
    const logged: string[] = [];
    const log = pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line).msg) });
    const metrics = openMetrics();
    // The checks of a URL are a second apart. Calls never time out, so this timer only triggers the checks.
    const times = manualTimes({ rpcCall: Number.POSITIVE_INFINITY, rpcHedge: Number.POSITIVE_INFINITY });
    const chain = await openChain(config, stops, { log, metrics, times });
    await chain.check();
    const failures = async () => {
      const { values } = await metrics.rpcCalls.get();
      const isOfAway = ({ url, result }: Partial<Record<string, string | number>>) =>
        url === new URL(away.url).host && result === 'failed';
      return values.find(({ labels, metricName }) => isOfAway(labels) && metricName?.endsWith('_count'))?.value ?? 0;
    };
    /** Waits until the condition holds, and lets a second pass before each look. */
    const untilLater = (condition: () => boolean | Promise<boolean>, otherwise: string) =>
      eventually(() => {
        times.advance(1000);
        return condition();
      }, otherwise);
    return { chain, away, good, logged, failures, untilLater };
  }

  it('counts as failing until it passes the checks, and is used then', async () => {
    const { chain, away, good, failures, untilLater } = await open();
    const before = await failures();
    await untilLater(async () => (await failures()) > before, 'no check counts');
    expect(await chain.provider.send('eth_gasPrice', [])).to.equal('0x60');
    expect(away.asked).not.to.include('eth_gasPrice');
    away.does = ofChain(CHAIN_ID);
    await untilLater(async () => {
      await chain.provider.send('eth_gasPrice', []);
      return away.asked.includes('eth_gasPrice');
    }, 'it is not used');
    expect(good.asked).to.include('eth_gasPrice');
  });

  it('has one check after repeated starts, and one log line for a wrong chain', async () => {
    const { chain, away, logged, untilLater } = await open();
    for (let i = 0; i < 3; i++) await chain.check();
    away.does = answers('0x1');
    await untilLater(() => logged.length > 0, 'it is not named');
    const { requests } = away;
    // A check asks a wrong chain three times, so at least two more checks have run.
    await untilLater(() => away.requests > requests + 6, 'it is not checked again');
    expect(logged).to.deep.equal(['an RPC URL is not used: CHAIN_ID: 84532, but RPC_URL (URL 1) is on chain 1']);
  });

  it('stays unused while the service stops', async () => {
    const { chain, away } = await open();
    away.does = ofChain(999);
    // Runs only the callback that a stop runs first. The others would close the provider, which the next lines still use.
    await stops.pop()?.();
    for (let i = 0; i < 10; i++) await nextTurn();
    expect(await chain.provider.send('eth_gasPrice', [])).to.equal('0x60');
    expect(away.asked).not.to.include('eth_gasPrice');
  });
});
