import { setTimeout as sleep } from 'node:timers/promises';
import { Relay } from '../../../support/chain/relay.js';
import { startTraffic, type Traffic } from '../../../support/market/traffic.js';
import { type Servers, useServers } from '../../../support/servers.js';
import type { Running } from '../../../support/service/process.js';
import { startReplicas, untilReady } from './replicas.js';
import { expectWholeIndex } from './whole-index.js';

export type RpcReplicas = {
  readonly servers: Servers;
  readonly relays: readonly [Relay, Relay];
  readonly replicas: readonly Running[];
  /** The wallet of an agent whose tickets are traded. */
  readonly agent: string;
  /** Makes trades for the given time, by traders with unlimited ether. */
  trade(milliseconds: number): Promise<void>;
  /** Checks that the index is whole within the given time. Returns the milliseconds until then and until all replicas are ready. */
  recovery(withinMs: number): Promise<number>;
};

/** Starts three replicas of the service over two RPC URLs, for the calling suite. */
export function useRpcReplicas(seed: number): RpcReplicas {
  const servers = useServers();
  const made = { servers } as { -readonly [K in keyof RpcReplicas]: RpcReplicas[K] };
  let traffic: Traffic;

  before(async () => {
    const { postgres, redis, chain } = servers;
    traffic = await startTraffic(chain, seed);
    made.agent = traffic.traders[0]?.wallet ?? '';
    made.relays = [await Relay.start(chain.rpcUrl, seed), await Relay.start(chain.rpcUrl, seed + 1)];
    const env = {
      RPC_URL: made.relays.map(({ url }) => url).join(','),
      CONFIRMATIONS: '1',
      SECRET_KEY: 'a secret key of the tests, long enough',
    };
    made.replicas = await startReplicas(Array(3).fill(postgres.url), { redis, chain, env });
  });
  after(async () => {
    for (const relay of made.relays ?? []) await relay.stop();
  });

  made.trade = async (milliseconds) => {
    for (const end = Date.now() + milliseconds; Date.now() < end; ) {
      await traffic.act(1);
      await sleep(150);
    }
  };
  made.recovery = async (withinMs) => {
    const { postgres, chain } = servers;
    const since = performance.now();
    await traffic.act(2);
    // CONFIRMATIONS is 1, so the index reads the last trade only when there is another block.
    await chain.provider.send('anvil_mine', ['0x1']);
    const ready = made.replicas.map(({ url }) => untilReady(url, since));
    await expectWholeIndex(chain, postgres, withinMs);
    return Math.round(Math.max(performance.now() - since, ...(await Promise.all(ready))));
  };
  return made;
}
