import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { type Logger, pino } from 'pino';
import type { Times } from '../../../src/config/timeouts.js';
import type { Limits } from '../../../src/limits/limits.js';
import { processLimits } from '../../../src/limits/process.js';
import { redisLimits } from '../../../src/limits/redis.js';
import { openOutages } from '../../../src/observe/outages.js';
import { FaultyLine } from '../../support/chain/faulty-line.js';
import { history, perform } from '../../support/limits/oracle.js';
import { RUN } from '../../support/processes.js';
import { drawUuid } from '../../support/seed.js';
import { hasRedis, RedisServer } from '../../support/servers/redis.js';
import { eventually } from '../../support/service/process.js';
import { manualTimes, testTimes } from '../../support/times.js';

const START = 1_700_000_000_000;
const NOWHERE = 'redis://127.0.0.1:1';
const windows = [{ key: 'one', max: 1, seconds: 60 }];

/** A logger that records the level of each line. */
function listen(): { log: Logger; said: string[] } {
  const said: string[] = [];
  const log = pino(
    { level: 'info', formatters: { level: (level) => ({ level }) } },
    { write: (line) => said.push(JSON.parse(line).level) },
  );
  return { log, said };
}

/** Rate limits at the Redis of this URL. They log outages to `log`. */
const limitsAt = (url: string, { log }: { readonly log: Logger }, times: Times, prefix = 'none:'): Limits =>
  redisLimits({ url, prefix, outages: openOutages(log, times.now), times });

/** Times with which no command times out. So an answer proves that it did not wait for a timeout. */
const unlimited = manualTimes({ redisLimit: 100_000_000 });
/**
 * Times for a Redis that does not answer: ioredis ends a command after 200 ms. On a slow machine, its
 * timer may also end a command that Redis answers.
 */
const limited = manualTimes();

describe('rate limits while Redis is unreachable', () => {
  it('allow requests without waiting for a timeout, and log one warning', async () => {
    const heard = listen();
    const limits = limitsAt(NOWHERE, heard, unlimited);
    for (const kind of ['take', 'take', 'peek'] as const) {
      expect(await limits[kind](windows, START)).to.include({ allowed: true, retryAfter: 0 });
    }
    expect(heard.said).to.deep.equal(['warn']);
    await limits.close();
  });

  it('allow requests after 200 ms when the server accepts connections but never answers', async () => {
    const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const heard = listen();
    const url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const times = manualTimes();
    const limits = limitsAt(url, heard, times);
    const verdicts = [limits.take(windows, START), limits.take(windows, START), limits.peek(windows, START)];
    // All three requests wait for the same connection, so there is one timer.
    expect(times.waiting).to.deep.equal([200]);
    times.advance(200);
    for (const verdict of verdicts) expect(await verdict).to.include({ allowed: true });
    expect(await limits.isUp?.()).to.equal(false);
    expect(heard.said).to.deep.equal(['warn']);
    await limits.close();
    server.close();
  });
});

describe('rate limits at a Redis whose password changes', () => {
  let server: RedisServer;
  before(async function () {
    if (!hasRedis()) return this.skip();
    server = await RedisServer.start('the first one');
  });
  after(() => server?.stop());

  it('allow every request, and log one error, until the login works again', async () => {
    const heard = listen();
    const limits = limitsAt(server.url, heard, unlimited);
    await limits.login?.();
    await limits.take(windows, START);
    expect(await limits.take(windows, START)).to.include({ allowed: false });
    const admin = new Redis(server.url);
    const setPassword = (password: string) => admin.call('CONFIG', 'SET', 'requirepass', password);
    await setPassword('another one');
    // Open connections stay valid after a change of the password, so this closes them. The next login is refused.
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await eventually(async () => {
      expect(heard.said).not.to.include('info');
      return (await limits.take(windows, START)).allowed && heard.said.includes('error');
    });
    await setPassword('the first one');
    await eventually(async () => !(await limits.take(windows, START)).allowed);
    expect(heard.said.filter((level) => level === 'error')).to.have.lengthOf(1);
    expect(heard.said.at(-1)).to.equal('info');
    await admin.quit();
    await limits.close();
  });
});

const url = process.env.REDIS_URL;
if (url) againstRedis(url);

function againstRedis(url: string): void {
  const prefix = `${process.env[RUN]}:limits:`;
  const connect = (heard = listen()) => limitsAt(url, heard, testTimes, prefix);

  after(async () => {
    const redis = new Redis(url);
    for await (const keys of redis.scanStream({ match: `${prefix}*`, count: 1000 })) {
      if (keys.length > 0) await redis.unlink(keys);
    }
    await redis.quit();
  });

  describe('rate limits in Redis', () => {
    let limits: Limits;
    const heard = listen();
    before(() => {
      limits = connect(heard);
    });
    after(async () => {
      await limits.close();
      expect(heard.said, 'no line was logged, because Redis answered every request').to.deep.equal([]);
    });

    it('equal the limits in the process, even when the clock moves back', async () => {
      const local = processLimits();
      await fc.assert(
        // The clock moves back by up to 1.5 s: more than the shortest window, which is 1 s.
        fc.asyncProperty(history(1500), async (steps) => {
          for (const step of steps) expect(await perform(limits, step)).to.deep.equal(await perform(local, step));
        }),
        { numRuns: 100 },
      );
    });

    it('allow exactly 50 of 200 concurrent requests from two replicas at a limit of 50, and report Redis as up', async () => {
      const replicas = [limits, connect()];
      const rush = [
        { key: 'rush:minute', max: 50, seconds: 60 },
        { key: 'rush:hour', max: 60, seconds: 3600 },
      ];
      const verdicts = await Promise.all(
        // The times of the requests differ by up to 6 ms, as the clocks of replicas do.
        Array.from({ length: 100 }, (_, i) => replicas.map((replica) => replica.take(rush, START + (i % 7)))).flat(),
      );
      const passed = verdicts.filter(({ allowed }) => allowed);
      expect(passed).to.have.length(50);
      expect(new Set(passed.map((verdict) => verdict.windows[0]?.remaining)).size).to.equal(50);
      // The minute refuses 150 requests. They consume nothing of the hour, which has 60 - 50 = 10 left.
      expect((await limits.peek(rush, START + 7)).windows.map(({ remaining }) => remaining)).to.deep.equal([0, 10]);
      expect(await limits.isUp?.()).to.equal(true);
      await replicas[1]?.close();
    });

    it('log the end of an outage when they count a request again, not when they only read a window', async () => {
      // Redis cannot count in a key of another type. So this key stands for a Redis that refuses to write.
      const heard = listen();
      const broken = connect(heard);
      const redis = new Redis(url, { keyPrefix: prefix });
      await redis.set('wrong', 'a text');
      await broken.take([{ key: 'wrong', max: 1, seconds: 60 }], START);
      await broken.peek(windows, START);
      expect(heard.said).to.deep.equal(['warn']);
      await broken.take(windows, START);
      expect(heard.said).to.deep.equal(['warn', 'info']);
      await redis.quit();
      await broken.close();
    });

    it('delete expired requests, and let each key expire a minute after its window', async () => {
      const redis = new Redis(url, { keyPrefix: prefix });
      const stored = [{ key: 'stored', max: 5, seconds: 60 }];
      const serverTime = async () => Number((await redis.time())[0]) * 1000;
      const before = await serverTime();
      // At second 61, the window of 60 seconds has only the requests of the seconds 60 and 61.
      for (const second of [0, 1, 1, 60, 61]) await limits.take(stored, START + second * 1000);
      const after = await serverTime();
      expect(await redis.zcard('stored'), 'expired requests are deleted').to.equal(2);
      // `serverTime` is rounded down to a second, so the upper bound is a second higher.
      expect(await redis.pexpiretime('stored'), 'the key expires a minute after its window').to.be.within(
        before + 120_000,
        after + 121_000,
      );
      await redis.quit();
    });
  });

  describe('rate limits over a faulty connection to Redis', () => {
    let line: FaultyLine;
    let dropped: string[] = [];
    let limits: Limits;
    let heard: ReturnType<typeof listen>;
    let key: string;
    const take = () => limits.take([{ key, max: 1, seconds: 60 }], START);
    /** Connects with these times, and uses up the limit of `key`. */
    const open = async (times: Times) => {
      limits = limitsAt(line.url, heard, times, prefix);
      await eventually(async () => !(await take()).allowed);
      heard.said.length = 0;
    };

    before(async () => {
      line = await FaultyLine.to(url);
      line.onSent = (text, isFrozen) => {
        if (isFrozen) dropped.push(text);
      };
    });
    beforeEach(() => {
      dropped = [];
      heard = listen();
      key = drawUuid();
    });
    afterEach(() => limits.close());
    after(() => line.close());

    it('allow requests while disconnected, and limit again after the reconnect', async () => {
      await open(unlimited);
      line.redirect(NOWHERE);
      for (let i = 0; i < 5; i += 1) expect(await take()).to.include({ allowed: true });
      expect(heard.said).to.deep.equal(['warn']);
      line.redirect(url);
      await eventually(async () => !(await take()).allowed);
      await take();
      expect(heard.said).to.deep.equal(['warn', 'info']);
    });

    it('allow requests while Redis is silent, and limit again when it answers', async () => {
      await open(limited);
      line.freeze();
      for (let i = 0; i < 5; i += 1) expect(await take()).to.include({ allowed: true });
      expect(heard.said).to.deep.equal(['warn']);
      // Only the first request is sent and waits. Its timeout closes the connection, so the others are not sent.
      const sent = () => dropped.filter((text) => /evalsha/i.test(text));
      await eventually(() => sent().length > 0, 'no request was sent');
      expect(sent()).to.have.length(1);
      line.thaw();
      await eventually(async () => !(await take()).allowed);
      expect(heard.said.join(' ')).to.match(/^(warn info ?)+$/);
    });

    it('never count a request that they allowed while Redis was silent', async () => {
      await open(limited);
      const late = [{ key: `${key}:late`, max: 1, seconds: 60 }];
      line.freeze();
      await limits.take(late, START);
      line.thaw();
      line.reset();
      await eventually(async () => !(await take()).allowed);
      // `limits` could allow the request without asking Redis, and show the same. So another connection asks.
      const other = connect();
      expect((await other.peek(late, START)).windows[0]).to.include({ remaining: 1 });
      await other.close();
    });

    it('still limit after Redis has flushed its scripts', async () => {
      await open(testTimes);
      const redis = new Redis(url);
      await redis.script('FLUSH');
      await redis.quit();
      expect(await take()).to.include({ allowed: false });
      expect(heard.said).to.deep.equal([]);
    });
  });
}
