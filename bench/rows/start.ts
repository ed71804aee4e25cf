import { ensureData } from '../dataset/databases.js';
import { median } from '../support/figures.js';
import { startPeer, startProduct } from '../support/product.js';
import type { Line, Options, Row } from '../support/result.js';
import { ask } from '../support/rounds.js';
import type { Server } from '../support/servers.js';

type Start = { readonly seconds: number; readonly megabytes: number };

/** Time from the start of the process to its first answer, and its memory at that time. */
async function once(start: () => Promise<Server>, path: string): Promise<Start> {
  const server = await start();
  try {
    await ask(server.url, { path });
    return { seconds: (performance.now() - server.startedAt) / 1000, megabytes: server.resident() / 2 ** 20 };
  } finally {
    await server.stop();
  }
}

export const start: Row = {
  name: 'start',
  title: 'start to first answer and resident memory then, on PostgreSQL, beside plain Koa',
  async measure(options: Options): Promise<Omit<Line, 'row'>[]> {
    const database = await ensureData(options.server, options.quick ? 'quick' : 'small', options.say);
    const [service, koa]: Start[][] = [[], []];
    for (let round = 0; round <= options.rounds; round++) {
      const measured = await once(() => startProduct(database), '/api/agents?limit=20');
      const plain = await once(() => startPeer('koa.mjs', database), '/');
      // The first start fills the file system's cache and is not counted.
      if (round > 0) [service?.push(measured), koa?.push(plain)];
    }
    const of = (list: Start[] | undefined, key: keyof Start) => median((list ?? []).map((entry) => entry[key]));
    const line = (work: string, key: keyof Start, unit: 's' | 'MB', value: number): Omit<Line, 'row'> => ({
      work,
      against: 'absolute, beside plain Koa',
      product: `${of(service, key).toFixed(2)} ${unit}`,
      peer: `${of(koa, key).toFixed(2)} ${unit}`,
      value: of(service, key),
      target: { at: 'most', value, unit },
      note: `${(of(service, key) / of(koa, key)).toFixed(1)} times plain Koa`,
    });
    return [
      line('Start to the first answer (a list of agents)', 'seconds', 's', 2),
      line('Resident memory at the first answer', 'megabytes', 'MB', 220),
    ];
  },
};
