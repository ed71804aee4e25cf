import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { PostgresServer } from '../../../support/servers/postgres.js';
import { overOpenSocket } from '../../../support/service/live.js';
import { eventually } from '../../../support/service/process.js';

type Database = Pick<PostgresServer, 'query'>;
/** A field of the GraphQL type `Subscription`. */
export type Watched = 'trade' | 'feedEvent';

/** SQL conditions for the stored events that a field delivers. `feedEvent` leaves out agents without a profile. */
const delivered: Readonly<Record<Watched, string>> = {
  trade: "topic = 'trade'",
  feedEvent: "topic in ('registration', 'trade', 'post', 'feed') and agent in (select wallet from agent)",
};

/** A subscriber that reconnects after each break and resumes after its last event. */
export class Watcher {
  /** The sequence numbers of the received events, in the order of their arrival. */
  readonly sequences: number[] = [];
  connections = 0;
  #ended = false;
  #loop: Promise<void> | undefined;

  /** `urls` are the replicas to which the subscriber connects in turn. Its stream begins after the sequence number `from`. */
  constructor(
    readonly field: Watched,
    private readonly urls: readonly string[],
    private readonly from: number,
  ) {}

  start(): void {
    this.#loop = this.#watch();
  }

  async #watch(): Promise<void> {
    for (let i = 0; !this.#ended; i++) {
      const after = String(this.sequences.at(-1) ?? this.from);
      const url = this.urls[i % this.urls.length] as string;
      // A connection may break before the subscription is confirmed. The next attempt then follows after 200 ms.
      const query = `subscription ($after: ID) { ${this.field}(after: $after) { sequence kind } }`;
      const subscriber = await within(5000, overOpenSocket(url, query, { variables: { after } }));
      if (subscriber !== undefined) {
        this.connections++;
        let taken = 0;
        while (!this.#ended && !subscriber.closed && subscriber.errors.length === 0) {
          for (const { sequence } of subscriber.got.slice(taken)) this.sequences.push(Number(sequence));
          taken = subscriber.got.length;
          await sleep(20);
        }
        for (const { sequence } of subscriber.got.slice(taken)) this.sequences.push(Number(sequence));
        subscriber.cut();
      }
      await sleep(200);
    }
  }

  async stop(): Promise<void> {
    this.#ended = true;
    await this.#loop;
  }

  /**
   * Waits until the subscriber has the last stored event, and stops it. Checks that it got each
   * event once and in order. Returns their number.
   */
  async expectAll(database: Database): Promise<number> {
    const stored = () => storedSequences(database, this.field, this.from);
    const hasLast = async () => this.sequences.at(-1) === (await stored()).at(-1);
    await eventually(hasLast, `a subscriber to ${this.field} does not reach the last event`);
    await this.stop();
    // A request that its client has given up may store an event after the stop. So only the first events are compared.
    const got = this.sequences.length;
    const wanted = (await stored()).slice(0, got);
    const at = wanted.findIndex((sequence, i) => this.sequences[i] !== sequence);
    const around = (all: readonly number[]) => (at < 0 ? [] : all.slice(Math.max(0, at - 3), at + 8));
    expect(around(this.sequences), `events of a subscriber to ${this.field}`).to.deep.equal(around(wanted));
    return got;
  }
}

/** The result of `work`. undefined if it fails or takes longer. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  work.catch(() => {});
  return Promise.race([work, sleep(milliseconds, undefined)]).catch(() => undefined);
}

/** Returns the sequence numbers of the stored events after `from` that the field delivers. */
export async function storedSequences(database: Database, field: Watched, from: number): Promise<number[]> {
  const rows = await database.query<{ sequence: string }>(
    `select sequence from live_event where sequence > $1 and ${delivered[field]} order by sequence`,
    [from],
  );
  return rows.map(({ sequence }) => Number(sequence));
}

/** Returns the sequence number of the newest live event. 0 if there is none. */
export async function newestSequence(database: Database): Promise<number> {
  const [row] = await database.query<{ newest: string | null }>('select max(sequence) as newest from live_event');
  return Number(row?.newest ?? 0);
}
