import { expect } from 'chai';
import { readConfig } from '../../../src/config/config.js';
import { endpoints } from '../../../src/features/features.js';
import { success } from '../../support/market/agents.js';
import { addListedAgent } from '../../support/market/rows.js';
import { answerOf } from '../../support/service/graphql.js';
import { rawGet } from '../../support/service/raw-requests.js';
import { ask as send, useWorld } from '../../support/world.js';

/** Times that a JavaScript Date or a zod schema may accept, but PostgreSQL or the calendar may not. */
const TIMES = [
  '0000-01-01T00:00:00.000Z',
  '0001-01-01T00:00:00Z',
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59-14:00',
  '-000001-01-01T00:00:00.000Z',
  '+010000-01-01T00:00:00.000Z',
  '+275760-09-13T00:00:00.000Z',
  '2026-02-30T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T23:59:60Z',
  '2026-13-01T00:00:00Z',
  '10000-01-01T00:00:00Z',
  'infinity',
  'epoch',
  'now',
];
const TEXTS = [
  ...TIMES,
  '',
  ' ',
  '[',
  '%',
  '%00',
  '\\',
  "'",
  '"',
  '..',
  '-1',
  '0x',
  '1e400',
  '-0',
  '9'.repeat(80),
  'NaN',
  'null',
  'true',
  '\u{fffe}',
  '\u202e',
  '\u0000',
  '\ud800',
  'ﷺ'.repeat(200),
  '__proto__',
  'constructor',
];
const VALUES = [...TEXTS, null, true, 0, -1, 1.5, 1e21, 2 ** 53, [], [[]], {}, { a: {} }];

describe('an unusual input', () => {
  const world = useWorld({ KEY_REPLACEMENT: 'on', RATE_LIMITS: 'off', CRON_SECRET: 'a-secret-of-the-scheduler' });
  let agent: Awaited<ReturnType<typeof addListedAgent>>;
  before(async () => {
    agent = await addListedAgent(world, { name: 'Lovelace' });
  });

  const candles = (before: string) => world.ask('GET', `/api/agents/${agent.wallet}/candles?before=${encodeURIComponent(before)}`);

  for (const time of TIMES) {
    it(`is refused with 400 by REST and with an error by GraphQL when it is the time ${time}`, async () => {
      const { status, body } = await candles(time);
      expect([status, body.error]).to.deep.equal([400, 'Invalid query parameter: before']);
      const literal = `{ candles(agent: "${agent.wallet}", before: "${time}") { time } }`;
      const text = 'query ($agent: AgentRef!, $time: DateTime) { candles(agent: $agent, before: $time) { time } }';
      for (const sent of [{ query: literal }, { query: text, variables: { agent: agent.wallet, time } }]) {
        const { errors } = answerOf(await world.ask('POST', '/graphql', { body: sent }));
        expect(errors[0]?.extensions.code, JSON.stringify(sent)).to.equal('INVALID_FIELD');
      }
      const season = await world.ask('POST', '/internal/seasons', {
        headers: { authorization: 'Bearer a-secret-of-the-scheduler' },
        body: { startDate: time, endDate: '2026-06-01' },
      });
      expect([season.status, season.body.error]).to.deep.equal([400, 'startDate is not valid']);
      const signed = { name: 'Grace', walletAddress: `0x${'12'.repeat(20)}`, signature: '0x', signedAt: time };
      const registration = await world.ask('POST', '/api/agents', { body: signed });
      expect([registration.status, registration.body.error]).to.deep.equal([400, 'signedAt is not valid']);
    });
  }

  it('is accepted as a time at both ends of the range', async () => {
    for (const time of ['1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']) {
      success(await candles(time));
      const text = `{ candles(agent: "${agent.wallet}", before: "${time}") { time } }`;
      const { data, errors } = answerOf(await world.ask('POST', '/graphql', { body: { query: text } }));
      expect([data, errors]).to.deep.equal([{ candles: [] }, []]);
    }
  });

  for (const { method, path, auth, params, query, body, example } of endpoints(readConfig({ KEY_REPLACEMENT: 'on' }))) {
    it(`never causes a 5xx answer of ${method} ${path}`, async () => {
      const options = auth === 'none' ? {} : { key: agent.key };
      const filled = (value: string) => path.replaceAll(/\{\w+\}/g, value);
      const sound = filled(agent.wallet);
      const statuses: [string, number][] = [];
      const ask = async (url: string, sent?: unknown) => {
        // Does not use `world.ask`, which checks each answer against the declaration of the endpoint: a path such as `..` leads to
        // another endpoint.
        const answer = await send(world.url, method, url, sent === undefined ? options : { ...options, body: sent });
        statuses.push([`${url} ${JSON.stringify(sent)}`, answer.status]);
      };
      if (params) for (const text of TEXTS) await ask(filled(encodeURIComponent(text.toWellFormed()) || '%20'));
      for (const name of Object.keys(query?.shape ?? {})) {
        for (const text of TEXTS) await ask(`${sound}?${name}=${encodeURIComponent(text.toWellFormed())}`);
      }
      for (const name of Object.keys(body?.shape ?? {})) {
        for (const value of VALUES) await ask(sound, { ...example?.request, [name]: value });
      }
      expect(statuses.filter(([, status]) => status >= 500)).to.deep.equal([]);
    });
  }

  it('is refused with 400 as a malformed Host header', async () => {
    const query = encodeURIComponent('{ __typename }');
    for (const host of ['[', ']', '[::', 'a b', '%', 'a/b', 'a@b', 'a?b', 'x:y', '[:::::]', 'x:99999999']) {
      for (const path of ['/graphql', `/graphql?query=${query}`, '/health', '/docs', '/api/agents', '/nowhere']) {
        const { status, text } = await rawGet(world.url, path, { host, 'apollo-require-preflight': 'true' });
        expect(status, `${host} ${path}`).to.equal(400);
        expect(text).to.include('Malformed request');
      }
    }
  });

  it('is accepted by GraphQL as a missing, named or numeric Host header', async () => {
    const path = `/graphql?query=${encodeURIComponent('{ __typename }')}`;
    for (const host of ['', 'curvet.test', '127.0.0.1:80', '[::1]:4000']) {
      const { status, text } = await rawGet(world.url, path, { host, 'apollo-require-preflight': 'true' });
      expect([status, JSON.parse(text).data], host).to.deep.equal([200, { __typename: 'Query' }]);
    }
  });

  it('causes no log line above level info', () => {
    expect(world.logged.filter(({ level }) => Number(level) > 30)).to.deep.equal([]);
  });
});
