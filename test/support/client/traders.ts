import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import {
  Curvet,
  type CurvetOptions,
  type Entry,
  type Journal,
  memoryJournal,
  type SpendingLimits,
  type TradeRequest,
} from '../../../client/src/curvet.js';
import type { Clock } from '../../../client/src/http/clock.js';
import { CHAIN_ID } from '../chain/chain.js';
import type { TestClock } from '../clock.js';
import { newAgent } from '../market/agents.js';
import { newTrader, ticketsOf } from '../market/traders.js';
import { useWorld, type World } from '../world.js';
import { timeoutFactor } from './scripted.js';

/** A test service that knows its public URL. The command line signs the URL that it calls, and the service compares the two. */
export function useNamedWorld(): World {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  before(() => void Object.assign(world.deps, { publicUrl: world.url }));
  return world;
}

type Clocks = Pick<TestClock, 'now' | 'advance'>;

/** The clock of the test service, for a client. A sleep does not wait: it moves the clock, for the service as well. */
export const clockOf = ({ clock }: { readonly clock: Clocks }): Clock => ({
  timeoutFactor,
  now() {
    // Each reading moves the clock, so that events that are created later get a later time.
    clock.advance(1);
    return clock.now().getTime();
  },
  random: () => 0.5,
  async sleep(milliseconds, signal) {
    await nextTurn();
    signal?.throwIfAborted();
    clock.advance(milliseconds);
  },
});

export const limitsOf = (world: World): SpendingLimits => ({
  chainId: CHAIN_ID,
  contract: world.chain.contract,
  perTrade: '1',
  perDay: '10',
  gas: '0.01',
});

/** What an RPC answers to a call: a result, an error, or undefined to pass the call on to the chain. */
type Says = (method: string, params: readonly unknown[]) => unknown;

/** A `fetch` whose RPC answers what `says` returns, instead of what the chain says. */
export const rpcThatSays =
  (says: Says): typeof globalThis.fetch =>
  async (input, init) => {
    const { jsonrpc, method, params } = JSON.parse(String(init?.body ?? '{}'));
    const result = jsonrpc && says(method, params);
    if (result === undefined) return globalThis.fetch(input, init);
    const answer = result instanceof Error ? { error: { code: -32000, message: result.message } } : { result };
    return Response.json({ jsonrpc, id: 1, ...answer });
  };

export type ClientTrader = Awaited<ReturnType<typeof newClientTrader>>;

/** A registered agent with a client that can trade. `given` overrides the client's options. */
export async function newClientTrader(world: World, given: Partial<CurvetOptions> = {}) {
  const agent = await newAgent(world);
  const { signer } = agent.trader;
  return { ...agent, ...(await newClient(world, { apiKey: agent.key, signer, ...given })), signer };
}

/**
 * A client with a new wallet that has ether and is not registered. Its signed transactions get lost while `cut.lost` is true.
 * `given` overrides the client's options.
 */
export async function newClient(world: World, given: Partial<CurvetOptions> = {}) {
  const { signer } = await newTrader(world.chain);
  const [journal, cut] = [given.journal ?? memoryJournal(), { lost: false }];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (cut.lost && String(init?.body).includes('eth_sendRawTransaction')) throw new TypeError('lost');
    return globalThis.fetch(input, init);
  };
  const options = { baseUrl: world.url, clock: clockOf(world), signer, limits: limitsOf(world), journal, fetch };
  return { signer, cut, curvet: new Curvet({ ...options, ...given }), entries: () => entriesOf(journal) };
}

/**
 * A test service with an agent whose tickets are traded. `one` is the purchase of one ticket, `held` reads how many a trader holds.
 */
export function useTradedAgent() {
  const world = useNamedWorld();
  const one = { agent: '', amount: 1 };
  before(async () => {
    one.agent = (await newAgent(world)).wallet;
  });
  return { world, one, held: ({ wallet }: ClientTrader) => ticketsOf(world.chain, one.agent, wallet) };
}

/** Signs a purchase whose transaction never reaches the chain. */
export async function lose({ curvet, cut }: ClientTrader, ask: TradeRequest): Promise<void> {
  cut.lost = true;
  expect(await thrown(curvet.trade.buy(ask))).to.include({ code: 'RPC' });
  cut.lost = false;
}

/** Calls `work` while the chain mines no block, and mines one at the end. */
export async function withoutMining({ chain: { provider } }: World, work: () => Promise<unknown>): Promise<void> {
  await provider.send('evm_setAutomine', [false]);
  try {
    await work();
    await provider.send('evm_mine', []);
  } finally {
    await provider.send('evm_setAutomine', [true]);
  }
}

/** A clock of service and client for the calling suite. `pass` moves it, but not the clock of the chain. */
export function useClockAhead(world: World): { readonly clock: Clocks; pass(milliseconds: number): void } {
  let ahead = 0;
  const clock: Clocks = {
    now: () => new Date(world.clock.now().getTime() + ahead),
    advance: (milliseconds) => world.clock.advance(milliseconds),
  };
  before(() => void Object.assign(world.deps, { clock }));
  return {
    clock,
    pass(milliseconds) {
      ahead += milliseconds;
    },
  };
}

export const entriesOf = (journal: Journal): Promise<readonly Entry[]> => journal.exclusive((file) => file.read());

/** The error with which the promise rejects. If the promise resolves, an error `did not throw`. */
export const thrown = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => new Error('did not throw'),
    (error: unknown) => error,
  );
