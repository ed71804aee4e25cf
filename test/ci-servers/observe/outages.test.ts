import { expect } from 'chai';
import { pino } from 'pino';
import { AppError } from '../../../src/errors/errors.js';
import { openOutages } from '../../../src/observe/outages.js';
import { testChain } from '../../support/chain/chain.js';
import { FaultyLine } from '../../support/chain/faulty-line.js';
import { createDatabase, serverUrl } from '../../support/database.js';
import { endProcesses, eventually, freshDirectory, getJson, type Running, run } from '../../support/service/process.js';
import { manualTimes } from '../../support/times.js';

describe('the log of outages', () => {
  it('has a line when the first caller notices an outage, and one when it is over for the last caller', () => {
    const lines: Record<string, unknown>[] = [];
    const write = (line: string) => {
      const { level, msg, part, reason, seconds } = JSON.parse(line);
      lines.push({ level, msg, part, reason, seconds });
    };
    const times = manualTimes();
    const outages = openOutages(pino({ base: null }, { write }), times.now);
    const away = { level: 40, msg: 'a part is unavailable', seconds: undefined };
    const back = { level: 30, msg: 'the part is back', reason: undefined };
    outages.begin('database', 'index', new Error('connect ECONNREFUSED\n    at a stack'));
    outages.begin('database', 'index', new Error('again'));
    outages.begin('database', 'live events', new Error('also'));
    outages.begin('chain', 'index', new AppError('CHAIN_UNAVAILABLE', {}, { cause: new Error('HTTP 502') }));
    times.advance(61_400);
    outages.end('database', 'index');
    outages.end('database', 'somebody who noticed nothing');
    expect(outages.needsLook()).to.equal(true);
    const begun = [
      { ...away, part: 'database', reason: 'connect ECONNREFUSED' },
      { ...away, part: 'chain', reason: 'HTTP 502' },
    ];
    expect(lines).to.deep.equal(begun);
    outages.end('database', 'live events');
    times.advance(1000);
    outages.end('chain', 'index');
    outages.end('chain', 'index');
    expect(lines.slice(2)).to.deep.equal([
      { ...back, part: 'database', seconds: 61 },
      { ...back, part: 'chain', seconds: 62 },
    ]);
    expect(outages.needsLook()).to.equal(false);
    outages.suspect();
    expect([outages.needsLook(), outages.needsLook()], 'one look for a suspicion').to.deep.equal([true, false]);
    outages.begin('database', 'index', Object.assign(new Error(''), { code: 'ETIMEDOUT' }));
    expect(lines.at(-1)).to.deep.equal({ ...away, part: 'database', reason: 'ETIMEDOUT' });
    const said = lines.length;
    outages.close();
    outages.end('database', 'index');
    outages.begin('redis', 'limits', new Error('closed'));
    expect(lines).to.have.lengthOf(said);
  });

  it('has a line of its own when Redis refuses the login, also after it was unavailable', () => {
    const lines: string[] = [];
    const write = (line: string) => {
      const { level, msg, reason } = JSON.parse(line);
      lines.push([level, msg, ...(reason ? [reason] : [])].join(' | '));
    };
    const outages = openOutages(pino({ base: null }, { write }), manualTimes().now);
    const refusal = new Error('WRONGPASS invalid username-password pair');
    outages.begin('redis', 'publisher', new Error('connect ECONNREFUSED'));
    // The refusal gets one line, although three notice it and the outage has a line already. Later changes between the two reasons
    // cause no line.
    for (const by of ['publisher', 'subscriber', 'publisher']) outages.begin('redis', by, refusal);
    outages.begin('redis', 'publisher', new Error('connect ECONNREFUSED'));
    outages.begin('redis', 'publisher', refusal);
    for (const by of ['publisher', 'subscriber']) outages.end('redis', by);
    outages.begin('redis', 'publisher', refusal);
    expect(lines).to.deep.equal([
      '40 | a part is unavailable | connect ECONNREFUSED',
      '50 | a part refuses the login | WRONGPASS invalid username-password pair',
      '30 | the part is back',
      '50 | a part refuses the login | WRONGPASS invalid username-password pair',
    ]);
  });
});

const redisUrl = process.env.REDIS_URL;

if (serverUrl !== undefined && redisUrl !== undefined) {
  const server = serverUrl;

  describe('an outage', () => {
    let service: Running;
    let [database, chain, redis]: FaultyLine[] = [];
    const stream = new AbortController();

    before(async () => {
      const { rpcUrl, contract, reset } = await testChain();
      // A chain with a hundred blocks would have a usual time between blocks, and would count as standing still. So it is reset.
      await reset();
      [database, chain] = [await FaultyLine.to(await createDatabase(server)), await FaultyLine.to(rpcUrl)];
      redis = await FaultyLine.to(redisUrl);
      service = run({
        env: {
          DATABASE_URL: database.url,
          REDIS_URL: redis.url,
          RPC_URL: chain.url,
          CONTRACT_ADDRESS: contract,
          SOCIAL_TEXT_PROXY: 'https://proxy.test/{url}',
          CONFIRMATIONS: '0',
          DATA_DIR: freshDirectory(),
          REGISTRATION_SIGNATURE: 'required',
        },
      });
      await service.ready();
      const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
      const body = JSON.stringify({ query: 'subscription { feedEvent { __typename } }' });
      const { signal } = stream;
      const events = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body, signal });
      expect(events.status).to.equal(200);
    });
    after(async () => {
      stream.abort();
      const said = lines().length;
      expect(await service.stop()).to.include({ code: 0 });
      expect(lines().slice(said), 'a stop is no outage').to.deep.equal([]);
      await endProcesses();
      await Promise.all([database?.close(), chain?.close(), redis?.close()]);
    });

    /** The log lines at level `warn` and above, and those about the state of a part. */
    const lines = () => service.log.filter(({ level, part }) => Number(level) >= 40 || part !== undefined);

    for (const [part, begin, end, status] of [
      ['database', () => database?.close(), () => database?.open(), 503],
      ['chain', () => chain?.close(), () => chain?.open(), 503],
      ['redis', () => redis?.redirect('redis://127.0.0.1:1'), () => redis?.redirect(redisUrl), 200],
    ] as const) {
      it(`of the ${part} causes one log line at its start and one at its end, whoever notices it`, async () => {
        const earlier = lines().length;
        const ready = async () => (await getJson(`${service.url}/ready`)).status;
        await begin();
        await service.until(() => lines().length > earlier, 'it does not say that the part is unavailable');
        await eventually(async () => (await ready()) === status, `/ready is not ${status}`);
        for (let i = 0; i < 10; i++) await getJson(`${service.url}/api/agents?limit=${i + 1}`);
        await end();
        await eventually(async () => (await ready()) === 200, 'it is not ready again');
        await service.until(() => lines().at(-1)?.msg === 'the part is back', 'it does not say that it is back');
        const said = lines().slice(earlier);
        const [away, back] = said;
        expect(said, JSON.stringify(said)).to.have.lengthOf(2);
        expect(away).to.include({ level: 40, msg: 'a part is unavailable', part });
        expect(away, 'the line belongs to no request').not.to.have.property('id');
        expect(away?.reason, 'a reason without a stack').to.match(/^[^\n]{5,100}$/);
        expect(back).to.include({ level: 30, msg: 'the part is back', part });
        expect(back?.seconds).to.be.a('number');
      });
    }

    it('puts no probe and no scrape into the log', async () => {
      for (const path of ['/health', '/ready', '/metrics', '/api/agents']) await getJson(service.url + path).catch(() => {});
      await service.until(() => service.log.at(-1)?.route === '/api/agents', 'the request is not logged');
      const routes = service.log.filter(({ msg }) => msg === 'request').map(({ route }) => route);
      expect(routes.filter((route) => route !== '/api/agents' && route !== '/graphql')).to.deep.equal([]);
    });
  });
}
