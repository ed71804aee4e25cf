import { expect } from 'chai';
import { endProcesses, eventually, freshDirectory } from '../support/service/process.js';
import { httpServer } from './support/http-server.js';
import { connect } from './support/mcp.js';
import { SleepClock } from './support/scripted.js';

/** Its long sleeps last until the test releases them. */
class PausedClock extends SleepClock {
  readonly #released = Promise.withResolvers<void>();
  release = (): void => this.#released.resolve();
  override async sleep(milliseconds: number): Promise<void> {
    if (milliseconds >= 5000) await this.#released.promise;
  }
}

const LOCAL = ['buy', 'sell', 'register', 'wallet_status'];

describe('curvet mcp whose service answers later', () => {
  after(endProcesses);

  const tools = [{ name: 'get_thing', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
  const service: typeof globalThis.fetch = async (_input, init) => {
    const { id, method } = JSON.parse(String(init?.body));
    const content = [{ type: 'text', text: '{}' }];
    return Response.json({ jsonrpc: '2.0', id, result: method === 'tools/list' ? { tools } : { content } });
  };

  for (const revision of ['auto', 'legacy'] as const) {
    it(`tells the client that the tools have changed (${revision})`, async () => {
      const away = await httpServer(service);
      await away.close();
      const told: (readonly string[])[] = [];
      const clock = new PausedClock();
      const env = { CURVET_HOME: freshDirectory(), CURVET_URL: away.url, CURVET_API_KEY: 'K'.repeat(64) };
      const connected = await connect(env, { revision, clock, onTools: (names) => told.push(names) });
      const { client } = connected;
      try {
        expect((await client.listTools()).tools.map(({ name }) => name)).to.deep.equal(LOCAL);
        const back = await httpServer(service, Number(new URL(away.url).port));
        try {
          clock.release();
          await eventually(() => told.length > 0, 'the client was not told');
          expect(told).to.deep.equal([[...LOCAL, 'get_thing']]);
        } finally {
          await back.close();
        }
      } finally {
        await connected.close();
      }
    });
  }
});
