import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Deps } from '../../../src/deps.js';
import { addAgent } from '../market/rows.js';
import { withParts } from '../parts.js';
import { marketOf } from '../profits/market.js';
import type { Json } from '../service/graphql.js';
import { type CallHistory, scripted } from '../theses/call-history.js';
import { useWorld, type World } from '../world.js';
import { curvet } from './command-line.js';
import { patientClock } from './scripted.js';

export const REGISTRY = '0x8004a169fb4a3325136eb29fa0ceb6d2e539a432';
/** The wallet that submits feedback. */
export const CLIENT = `0x${'c'.repeat(40)}`;

/** A registry whose getAgentWallet(22) is the wallet. Every other call reverts. */
const registryOf = (wallet: string): string =>
  `0x60003560e01c63003395091460043560161416601b5760006000fd5b73${wallet.slice(2)}60005260206000f3`;

/** Over 14 months, Ada trades in Bob's tickets, and so do others. */
export function longHistory(): CallHistory {
  const at = (day: number, what: string) => `${day * 1440} ${what}`;
  const lines = ['0 Bob opens', '1 Ada opens', at(4, 'Ada buys 10 Bob'), at(5, 'Eve buys 20 Bob'), at(100, 'Ada buys 10 Bob')];
  lines.push(at(101, 'Ada sells 5 Bob'), at(160, 'Ada buys 20 Bob'), at(220, 'Eve sells 15 Bob'), at(300, 'Ada sells 12 Bob'));
  lines.push(at(301, 'Ada buys 5 Bob'), at(420, 'Eve buys 3 Bob'), at(425, 'Ada buys 1 Bob'), at(426, 'Dan buys 1 Ada'));
  return scripted(lines, 427 * 1440, new Date('2025-07-01T00:00:00Z'));
}

/** The command `curvet yield` on the services of the calling suite. */
export function useYields() {
  const world = useWorld({ RATE_LIMITS: 'off' });
  const suite = { directory: '', now: '' };
  before(() => {
    suite.directory = mkdtempSync(join(tmpdir(), 'curvet-yield-'));
  });
  beforeEach(() => {
    suite.now = '2026-09-02T12:00:00Z';
  });
  after(() => rmSync(suite.directory, { recursive: true, force: true }));

  /** Runs the command. `time` is its clock. */
  async function run(other: World, args: readonly string[], time = suite.now) {
    const clock = { ...patientClock, now: () => Date.parse(time) };
    const env = { CURVET_HOME: '/nonexistent', CURVET_URL: other.url };
    return curvet(['yield', ...args, '--out', suite.directory], env, clock);
  }

  return Object.assign(suite, {
    run,
    /** Calls `use` with a service whose index has the history, and in which these wallets are agents with an identity. */
    async withAgents(
      history: CallHistory,
      wallets: readonly string[],
      use: (other: World) => Promise<void>,
      parts: (deps: Deps) => Partial<Deps> = () => ({}),
    ): Promise<void> {
      const { deps: indexed } = await marketOf(world, history);
      const deps = { ...indexed, clock: { now: () => new Date(suite.now) } };
      for (const [i, wallet] of wallets.entries()) {
        const identity = `eip155:${deps.chain.chainId}:${REGISTRY}:22`;
        await addAgent({ ...world, deps }, { wallet, name: `Agent ${i}`, identity });
      }
      await withParts(world, { chain: deps.chain, clock: deps.clock, ...parts(deps) }, use);
    },
    /** Runs the command, which must succeed. Returns the files that it has written. */
    async written(other: World, args: readonly string[]): Promise<Json[]> {
      const { code, out, error } = await run(other, [...args, '--json']);
      expect(code, error).to.equal(0);
      return JSON.parse(out).files;
    },
    /** Lets the registry name a wallet. */
    prove: (wallet: string) => world.chain.provider.send('anvil_setCode', [REGISTRY, registryOf(wallet)]),
  });
}
