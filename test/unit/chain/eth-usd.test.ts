import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type Logger, pino } from 'pino';
import { ethUsd, FALLBACK_USD } from '../../../src/chain/eth-usd.js';
import { listen } from '../../support/service/listen.js';
import { eventually } from '../../support/service/process.js';
import { type ManualTimes, manualTimes } from '../../support/times.js';

const MINUTE = 60_000;

describe('the price of ether in US dollars', () => {
  let server: Server;
  let answer: RequestListener;
  let asked: number;
  let clock: number;
  let times: ManualTimes;
  let logged: { err: { message: string }; msg: string }[];
  let price: () => Promise<number>;
  let url: string;

  const says = (body: string) => {
    answer = (_, res) => res.end(body);
  };
  /** Advances the clock by 5 minutes, after which the cached price has expired, and returns the price. */
  const next = (minutes = 5): Promise<number> => {
    clock += minutes * MINUTE;
    return price();
  };
  /** Checks that the next price is the fallback. Returns the reason that the service logged. */
  const failure = async (): Promise<string> => {
    expect(await next()).to.equal(FALLBACK_USD);
    return why();
  };
  const why = (): string => {
    const [line, ...more] = logged.splice(0);
    expect(more).to.deep.equal([]);
    expect(line?.msg).to.equal('no price from ETH_USD_URL: using 2500');
    return line?.err.message ?? '';
  };

  beforeEach(async () => {
    asked = 0;
    clock = 0;
    times = manualTimes();
    logged = [];
    server = createServer((req, res) => {
      asked++;
      answer(req, res);
    });
    url = `${await listen(server)}/`;
    const log: Logger = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) });
    price = ethUsd({ url, log, now: () => clock, times });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('is parsed from the JSON of common sources', async () => {
    for (const [body, expected] of [
      ['{"price": 3000.5}', 3000.5],
      ['{"symbol":"ETHUSDT","price":"3001.50"}', 3001.5],
      ['{"ethereum":{"usd":3002}}', 3002],
      ['{"data":{"base":"ETH","currency":"USD","amount":"3003.1"}}', 3003.1],
      ['{"data":{"ETH":{"quote":{"USD":{"price":3004}}}}}', 3004],
      ['[{"last":"3005"}]', 3005],
    ] as const) {
      says(body);
      expect(await next(), body).to.equal(expected);
    }
    expect(logged).to.deep.equal([]);
  });

  it('is cached for five minutes, and leaves no timer', async () => {
    says('{"usd":3000}');
    expect(await price()).to.equal(3000);
    expect(times.waiting).to.deep.equal([]);
    clock += 5 * MINUTE - 1;
    expect(await price()).to.equal(3000);
    expect(asked).to.equal(1);
    clock += 1;
    await price();
    expect(asked).to.equal(2);
  });

  it('is the fallback for five minutes when the source fails', async () => {
    answer = (_, res) => res.writeHead(503).end('{"usd":3000}');
    expect(await failure()).to.equal('HTTP 503');
    await price();
    expect(asked).to.equal(1);
    says('{"usd":3000}');
    expect(await next()).to.equal(3000);
    server.closeAllConnections();
    server.close();
    expect(await next()).to.equal(FALLBACK_USD);
  });

  it('is the fallback when the answer contains no price', async () => {
    const deep = [`${'{"a":'.repeat(8)}{"usd":3000}${'}'.repeat(8)}`, `${'['.repeat(30_000)}${']'.repeat(30_000)}`];
    const wrong = ['null', 'true', '[3000]', '" "'].map((value) => `{"price":${value}}`);
    for (const body of ['', 'x', '3000', 'null', '{}', ...wrong, ...deep]) {
      says(body);
      expect(await failure(), body).not.to.equal('');
    }
  });

  it('is finite and above zero', async () => {
    for (const value of ['0', '-3000', '"-0.1"', '"0"', '1e999', '"1e999"', '"Infinity"', '"-Infinity"']) {
      // The answer also contains valid prices. The service must not use them in place of the invalid one.
      says(`{"usd":${value},"last":3000,"more":{"price":3000}}`);
      expect(await failure(), value).to.match(/is not a valid price$/);
    }
  });

  it('is read from at most 64 KB, without waiting for the rest', async () => {
    // 21 is the length of the JSON without its padding.
    const sized = (bytes: number) => `{"usd":3000,"pad":"${'x'.repeat(bytes - 21)}"}`;
    says(sized(64 * 1024));
    expect(await next()).to.equal(3000);
    says(sized(64 * 1024 + 1));
    expect(await failure()).to.equal('the answer is longer than 65536 bytes');
    let ended: Promise<unknown> | undefined;
    answer = (_, res) => {
      ended = once(res, 'close');
      const more = () => {
        while (!res.destroyed && res.write('x'.repeat(16_384)));
      };
      res.on('drain', more);
      more();
    };
    expect(await failure()).to.equal('the answer is longer than 65536 bytes');
    // The test server stops sending only when the service closes the connection.
    await ended;
    // A small compressed answer can be large after decompression, so the limit applies to the decompressed bytes.
    const packed = gzipSync(sized(50_000_000));
    answer = (_, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
    expect(await failure()).to.equal('the answer is longer than 65536 bytes');
  });

  for (const [what, begins] of Object.entries({ 'the headers': '', 'the whole body': '{"usd":3000,"pad":"' })) {
    it(`is the fallback after three seconds without ${what} of the answer`, async () => {
      answer = (_, res) => {
        if (begins) res.write(begins);
      };
      const waiting = next();
      await eventually(() => asked === 1);
      expect(times.waiting).to.deep.equal([3000]);
      times.advance(3000);
      expect(await waiting).to.equal(FALLBACK_USD);
      expect(why()).to.equal('no answer in time');
    });
  }

  it('is not read from a redirect', async () => {
    answer = (req, res) => {
      if (req.url === '/') res.writeHead(302, { location: `${url}other` }).end();
      else res.end('{"usd":3000}');
    };
    await failure();
    expect(asked).to.equal(1);
  });

  it('may change at most tenfold from the last accepted price', async () => {
    for (const [value, expected] of [
      [3000, 3000],
      [30_000, 30_000],
      [3000, 3000],
      [30_001, FALLBACK_USD],
      [299.9, FALLBACK_USD],
      // The fallback of 2500 is not an accepted price, so 300 is still compared with 3000.
      [300, 300],
      [2500, 2500],
      [250, 250],
    ] as const) {
      says(`{"usd":${value}}`);
      expect(await next(), String(value)).to.equal(expected);
    }
    expect(logged.map(({ err }) => err.message)).to.deep.equal([
      '30001 differs from the last price, 3000, by more than a factor of 10',
      '299.9 differs from the last price, 3000, by more than a factor of 10',
    ]);
  });

  it('may have any value at first, and again when the last accepted price is an hour old', async () => {
    says('{"usd":1}');
    expect(await price()).to.equal(1);
    says('{"usd":3000}');
    for (let minutes = 5; minutes < 60; minutes += 5) expect(await next()).to.equal(FALLBACK_USD);
    expect(await next()).to.equal(3000);
    says('{"usd":1}');
    expect(await next()).to.equal(FALLBACK_USD);
  });
});
