import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createApp } from '../../../src/app.js';
import { RpcProvider } from '../../../src/chain/rpc.js';
import { readConfig } from '../../../src/config.js';
import { assembleDeps, type Deps } from '../../../src/deps.js';
import { ensureCursor } from '../../../src/index/cursor.js';
import { migrate, openDatabase } from '../../../src/store/database.js';
import { CHAIN_ID } from '../../support/chain/chain.js';
import { testTimes } from '../../support/times.js';

// The app in a separate process that dies, or that a test kills.

/** How the process dies: by itself right after the commit of an effect, or while it waits for the chain before the effect. */
export type Death = 'after-commit' | 'before-effect' | 'never';

const [place = '', rpcUrl = '', contract = '', death = 'never'] = process.argv.slice(2);
const target = place.startsWith('postgresql:') ? { url: place } : { directory: place };
// The lease of a process that dies must end soon.
const times = death === 'before-effect' ? { ...testTimes, writeLease: 2000 } : testTimes;
const orm = await openDatabase(target, { times });
await migrate(orm, target);
const deps: Deps = await assembleDeps(readConfig({ RATE_LIMITS: 'off' }), pino({ level: 'silent' }), {
  ...{ orm, times },
  chain: { provider: new RpcProvider([rpcUrl], CHAIN_ID, times), contract, rpcUrl },
  publicUrl: 'http://curvet.test',
});
await ensureCursor(deps, async () => 1);
const { market, live } = deps;
const dying: Partial<Deps> =
  death === 'after-commit'
    ? // A command calls `wake` right after its effect is committed.
      { live: { ...live, wake: () => process.kill(process.pid, 'SIGKILL') } }
    : death === 'before-effect'
      ? {
          market: {
            ...market,
            agent: () => {
              process.stdout.write('asked\n');
              return new Promise(() => {});
            },
          },
        }
      : {};
const server = createServer(createApp({ ...deps, ...dying }).callback());
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
