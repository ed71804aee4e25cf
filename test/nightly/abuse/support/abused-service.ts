import { Agent } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { print } from '../../../support/print.js';
import { endProcesses, eventually, type Running, run, usedDirectory } from '../../../support/service/process.js';
import { exchange, type Reply } from './exchange.js';

type Measured = {
  /** Memory in use after a garbage collection, in megabytes. */
  readonly memory: number;
  /** Number of open connections, including those of the service to its chain. */
  readonly sockets: number;
};

/** Maximum number of connections from the service to its chain. They stay open between the rounds. */
const OWN_SOCKETS = 5;
/** Maximum time for the three answers of `expectServing` while other clients abuse the service. */
const MAX_WAIT_MS = 5000;
const MAX_GROWTH_MB = 6;

let addresses = 0;
/** Returns an unused address of the loopback network. The service counts each address as a separate client in its rate limits. */
export function freshAddress(): string {
  const n = ++addresses;
  // No address ends in 255, so every 256th call gets the address of the call before.
  return `127.77.${n >> 8}.${(n & 255) === 255 ? 254 : n & 255}`;
}

/** The service as a separate process with its default limits. It measures the memory and the connections of this process. */
class AbusedService {
  readonly #rounds: Measured[] = [];

  private constructor(private readonly service: Running) {}

  static async start(): Promise<AbusedService> {
    const measures = pathToFileURL(join(import.meta.dirname, 'measures.js'));
    const service = run({ env: { DATA_DIR: await usedDirectory(), NODE_OPTIONS: `--import ${measures}` } });
    await service.ready();
    return new AbusedService(service);
  }

  get url(): string {
    return this.service.url;
  }
  get port(): number {
    return Number(new URL(this.url).port);
  }

  async measure(): Promise<Measured> {
    const before = this.service.stderr.length;
    this.service.kill('SIGUSR2');
    const found = () => /measured (.*)\n/.exec(this.service.stderr.slice(before))?.[1];
    await this.service.until(() => found() !== undefined, 'the service did not print its measurements');
    return JSON.parse(String(found())) as Measured;
  }

  /** Ends a round of abuse: waits until the connections of the round are closed, and stores what the service still uses. */
  async endRound(): Promise<void> {
    await eventually(async () => (await this.measure()).sockets <= OWN_SOCKETS, 'connections remained open');
    this.#rounds.push(await this.measure());
  }

  /** Checks that the second round has added at most `MAX_GROWTH_MB` to the memory in use after the first. */
  expectNoGrowth(): void {
    const [first = 0, second = 0] = this.#rounds.map(({ memory }) => memory);
    expect(this.#rounds).to.have.length(2);
    print(`memory ${first.toFixed(1)} MB after the first round, ${second.toFixed(1)} MB after the second`);
    expect(second - first, 'growth in megabytes').to.be.below(MAX_GROWTH_MB);
  }

  /** Sends one request from an unused address, so that earlier requests do not count in its rate limits. */
  ask(path: string, body?: string): Promise<Reply> {
    const agent = new Agent({ localAddress: freshAddress() });
    const given = { operation: path, headers: { connection: 'close' }, body, caller: undefined };
    return exchange(agent, this.url, { ...given, method: body === undefined ? 'GET' : 'POST', path });
  }

  /** Checks that the service still answers clients at other addresses in time: over REST and GraphQL, and at the probe. */
  async expectServing(): Promise<void> {
    const began = performance.now();
    const replies = await Promise.all([
      this.ask('/health'),
      this.ask('/api/agents'),
      this.ask('/graphql', '{"query":"{ marketStats { total { agents } } }"}'),
    ]);
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(performance.now() - began, 'time of three answers').to.be.below(MAX_WAIT_MS);
  }

  /** Checks that the service still runs and has logged no unexpected error (level 50 or above). */
  expectNoFault(): void {
    expect(this.service.alive, 'whether the service runs').to.equal(true);
    expect(this.service.log.filter(({ level }) => Number(level) >= 50)).to.deep.equal([]);
  }
}

/**
 * Defines a suite of abuse that runs in two rounds. The first round loads modules and fills caches, so only
 * growth of the memory after the second one shows a leak. After each test, the service must answer other
 * clients and must have logged no unexpected error.
 */
export function describeAbuse(title: string, closeAll: () => void, suite: (service: () => AbusedService) => void): void {
  describe(title, function () {
    this.timeout(600_000);
    let service: AbusedService;
    before(async () => {
      service = await AbusedService.start();
      // The first request to /graphql takes longer because it loads the modules of GraphQL, so it is sent before the tests.
      await service.ask('/graphql', '{"query":"{ __typename }"}');
    });
    afterEach(async () => {
      closeAll();
      await service.expectServing();
      service.expectNoFault();
    });
    after(endProcesses);
    for (const round of ['first', 'second']) {
      describe(`in the ${round} round`, () => {
        suite(() => service);
        it('leaves no connection open', () => service.endRound());
      });
    }
    // A separate suite, because Mocha runs the tests directly in a suite before those of its inner suites.
    describe('afterwards', () => {
      it('uses little more memory than after the first round', () => service.expectNoGrowth());
    });
  });
}
