import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { join } from '../../support/market/agents.js';
import { print } from '../../support/print.js';
import { seed, seeded } from '../../support/seed.js';
import { useServers } from '../../support/servers.js';
import { run } from '../../support/service/process.js';
import { replicaEnv, timedStop } from './support/replicas.js';

const STOPS = 3;
const CLIENTS = 100;
const AGENTS = 20;
const LOAD_MS = 2500;
const EXIT_MS = 10_000;
/** Maximum time that a request needs from this process to the accepted connection. */
const SENT_MS = 25;

type Sent = {
  readonly text: string | undefined;
  readonly at: number;
  status: number;
  /** The code of the error if the connection broke. Empty otherwise. */
  error: string;
  /** Whether the beginning of the answer has arrived. */
  begun: boolean;
};

describe(`a service that gets SIGTERM under the load of ${CLIENTS} clients (seed ${seed})`, function () {
  this.timeout(120_000);
  const servers = useServers();
  const keys: string[] = [];
  const random = seeded(seed);

  const start = async () => {
    const service = run({ env: { ...replicaEnv(servers.chain), DATABASE_URL: servers.postgres.url } });
    await service.ready();
    return service;
  };

  /**
   * Sends one request over a reused connection: a post with this text, or a read. Resolves
   * when it is answered or its connection breaks.
   */
  function send(url: string, agent: Agent, key: string, text: string | undefined): Promise<Sent> {
    const sent: Sent = { text, at: performance.now(), status: 0, error: '', begun: false };
    const [path, body] =
      text === undefined ? [`/api/agents?limit=${1 + Math.floor(random() * 50)}`] : ['/api/feed', JSON.stringify({ text })];
    return new Promise((resolve) => {
      const end = (error = '') => {
        sent.error = error;
        resolve(sent);
      };
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const outgoing = request(`${url}${path}`, { agent, headers, method: body === undefined ? 'GET' : 'POST' }, (answer) => {
        sent.begun = true;
        answer.resume();
        answer.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
        answer.on('end', () => {
          sent.status = answer.statusCode ?? 0;
          end(answer.complete ? '' : 'incomplete');
        });
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
      outgoing.end(body);
    });
  }

  it('answers every accepted request, keeps every confirmed write and exits within 10 s', async () => {
    let service = await start();
    for (let i = 0; i < AGENTS; i++) keys.push((await join(servers.chain, service.url, `Loaded ${i}`)).key);
    const all: Sent[] = [];
    for (let stop = 0; stop < STOPS; stop++) {
      if (!service.alive) service = await start();
      const { url } = service;
      const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
      const sent: Sent[] = [];
      let over = false;
      const client = async (number: number) => {
        for (let i = 0; !over; i++) {
          const text = random() < 0.5 ? `Stop ${seed} ${stop} ${number} ${i}` : undefined;
          const reply = await send(url, agent, keys[number % AGENTS] as string, text);
          sent.push(reply);
          if (reply.error !== '') await sleep(20);
        }
      };
      const clients = Array.from({ length: CLIENTS }, (_, i) => client(i));
      await sleep(LOAD_MS + random() * 500);
      const asked = performance.now();
      const exit = await timedStop(service);
      over = true;
      await Promise.all(clients);
      agent.destroy();
      expect(exit, service.stdout).to.include({ code: 0, signal: null });
      expect(exit.ms, 'duration of the stop').to.be.lessThan(EXIT_MS);
      const broken = sent.filter(({ error }) => error !== '');
      const pending = sent.filter(({ at, error }) => at < asked - SENT_MS && error !== '');
      expect(pending.slice(0, 3), 'requests without an answer that were sent before the stop').to.deep.equal([]);
      // A connection that the service has not accepted may be refused or reset. An answer that has begun must be complete.
      const cut = broken.filter(({ begun, error }) => begun || !['ECONNREFUSED', 'ECONNRESET'].includes(error));
      expect(cut.slice(0, 3), 'answers that were cut').to.deep.equal([]);
      all.push(...sent);
      const busy = sent.filter(({ status }) => status === 503);
      const errors = sent.filter(({ status }) => status >= 500 && status !== 503);
      print(`${sent.length - broken.length} answers, ${busy.length} of them 503, exit after ${Math.round(exit.ms)} ms`);
      expect(errors.slice(0, 3), 'answers with 5xx other than 503').to.deep.equal([]);
    }
    const rows = await servers.postgres.query<{ text: string }>('select text from agent_activity');
    const stored = new Set(rows.map(({ text }) => text));
    const posts = all.filter(({ text }) => text !== undefined);
    const lost = posts.filter(({ status, text }) => status === 201 && !stored.has(String(text)));
    const silent = posts.filter(({ status, text }) => status === 0 && stored.has(String(text)));
    expect(lost.slice(0, 3), 'posts with a success answer that are not stored').to.deep.equal([]);
    expect(silent.slice(0, 3), 'posts that are stored without an answer').to.deep.equal([]);
    expect(stored.size).to.be.greaterThan(100);
    print(`${stored.size} posts stored, as many as confirmed`);
    expect(stored.size).to.equal(posts.filter(({ status }) => status === 201).length);
  });
});
