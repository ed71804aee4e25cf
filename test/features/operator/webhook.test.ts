import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { ensureCursor } from '../../../src/index/cursor.js';
import { refusal } from '../../support/market/agents.js';
import { newTrader, type Trader } from '../../support/market/traders.js';
import { eventually } from '../../support/service/process.js';
import { useWorld } from '../../support/world.js';

const KEY = 'a-signing-key-of-the-tests';

describe('the chain-event webhook', () => {
  const world = useWorld({ WEBHOOK_SIGNING_KEY: KEY });
  let trader: Trader;

  before(async () => {
    await ensureCursor(world.deps, async () => 1);
    trader = await newTrader(world.chain);
    await trader.register('Hooked');
  });

  const sign = (body: string, key = KEY) => createHmac('sha256', key).update(body).digest('hex');
  const send = (body: string, signature: string | undefined = sign(body)) =>
    world.ask('POST', '/webhooks/chain', {
      body,
      headers: signature === undefined ? {} : { 'x-alchemy-signature': signature },
    });
  const graphql = (address: string = world.chain.contract) =>
    JSON.stringify({ event: { data: { block: { logs: [{ account: { address }, topics: [], data: '0x' }] } } } });
  const activity = () =>
    JSON.stringify({ event: { activity: [{ blockNum: '0x1', log: { address: world.chain.contract } }] } });
  const trades = async () => (await world.deps.sql('select * from transaction')).length;
  const indexed = async () =>
    (await world.deps.sql<{ at: number }>('select block_number as at from indexer_cursor'))[0]?.at;

  it('refuses a wrong or missing signature and triggers no sync', async () => {
    await trader.buy(trader.wallet, 1);
    const body = graphql();
    for (const signature of ['', sign(body, 'another key'), sign(`${body} `), sign(body).slice(1), 'ü'.repeat(3)]) {
      const answer = await send(body, encodeURI(signature));
      expect([answer.status, answer.body.success]).to.deep.equal([401, false]);
    }
    const unsigned = await world.ask('POST', '/webhooks/chain', { body });
    expect(unsigned.status).to.equal(401);
    expect(await indexed()).to.equal(0);
  });

  it('answers immediately and triggers a sync of the index', async () => {
    const { status, body } = await send(graphql());
    expect([status, body]).to.deep.equal([200, { success: true, logs: 1 }]);
    await until(async () => (await trades()) === 1);
  });

  it('accepts the address-activity form and an upper-case signature', async () => {
    await trader.buy(trader.wallet, 2);
    const body = activity();
    expect((await send(body, sign(body).toUpperCase())).body).to.deep.equal({ success: true, logs: 1 });
    await until(async () => (await trades()) === 2);
  });

  it('is only a hint: it ignores other contracts and stores no fact from the payload', async () => {
    await trader.sell(trader.wallet, 1);
    expect((await send(graphql(`0x${'ab'.repeat(20)}`))).body).to.deep.equal({ success: true, logs: 0 });
    const forged = JSON.stringify({
      event: {
        data: {
          block: {
            logs: [{ account: { address: world.chain.contract }, transaction: { hash: `0x${'11'.repeat(32)}` } }],
          },
        },
      },
    });
    await send(forged);
    await until(async () => (await trades()) === 3);
    const rows = await world.deps.sql<{ hash: string }>('select tx_hash as hash from transaction');
    expect(rows.map(({ hash }) => hash)).not.to.include(`0x${'11'.repeat(32)}`);
  });

  it('changes nothing when it is replayed', async () => {
    const stored = () => world.deps.sql('select * from transaction order by block_number, log_index');
    const before = await stored();
    const replays = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i % 2 ? graphql() : activity())));
    expect(replays.filter(({ status }) => status !== 200)).to.deep.equal([]);
    await trader.buy(trader.wallet, 1);
    await send(graphql());
    await until(async () => (await trades()) === before.length + 1);
    expect((await stored()).slice(0, -1)).to.deep.equal(before);
  });

  it('accepts a body of up to 1 MB, which must be JSON', async () => {
    const padded = (size: number) => `{"padding":"${'x'.repeat(size - 14)}"}`;
    expect((await send(padded(1_000_000))).status).to.equal(200);
    expect(refusal(await send(padded(1_000_001)))).to.equal('400 Request body too large');
    expect(refusal(await send('not json'))).to.equal('400 Invalid JSON body');
  });
});

describe('the webhook during a rotation of the signing key', () => {
  const world = useWorld({ WEBHOOK_SIGNING_KEY: `${KEY} the-key-from-before` });

  it('accepts signatures by the present and the earlier key, and by no other', async () => {
    const body = '{"event":{}}';
    const statuses: number[] = [];
    for (const key of [KEY, 'the-key-from-before', `${KEY} the-key-from-before`]) {
      const headers = { 'x-alchemy-signature': createHmac('sha256', key).update(body).digest('hex') };
      statuses.push((await world.ask('POST', '/webhooks/chain', { body, headers })).status);
    }
    expect(statuses).to.deep.equal([200, 200, 401]);
  });
});

describe('the webhook without a configured signing key', () => {
  const world = useWorld();

  it('answers 404', async () => {
    expect((await world.ask('POST', '/webhooks/chain', { body: {} })).status).to.equal(404);
  });
});

const until = (check: () => Promise<boolean>): Promise<void> => eventually(check, 'the condition did not become true');
