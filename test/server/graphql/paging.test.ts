import { expect } from 'chai';
import { addAgent, addHolding, addListedAgent, addTrade, randomTxHash } from '../../support/market/rows.js';
import { data, type Json, query } from '../../support/service/graphql.js';
import { runSql } from '../../support/store.js';
import { useWorld } from '../../support/world.js';

/** Lists, also those of an agent, with the fields that identify a node. */
const lists = [
  ['agents(ARGS)', 'id'],
  ['leaderboard(ARGS)', 'agent { id }'],
  ['trades(ARGS)', 'id'],
  ['feed(ARGS)', 'id'],
  ['agent.holders(ARGS)', 'address'],
  ['agent.holdings(ARGS)', 'agentAddress'],
  ['agent.trades(side: RECEIVED, ARGS)', 'id'],
  ['agent.feed(ARGS)', 'id'],
  ['agent.followers(ARGS)', 'walletAddress'],
  ['agent.following(ARGS)', 'walletAddress'],
  ['agent.referrals(ARGS)', 'id'],
] as const;
const sorted = ['agents(sort: VOLUME, ARGS)', 'agents(sort: PRICE_CHANGE_24H, ARGS)', 'feed(sort: LIKES, ARGS)'];

describe('GraphQL cursors', () => {
  const world = useWorld({ TRUST_PROXY: '1', RATE_LIMITS: 'off' });
  let target: { wallet: string };
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
  let minute = 0;
  const documentOf = (list: string, args: string, selection: string) => {
    const inner = `${list.replace('agent.', '').replace('ARGS', args)} { ${selection} }`;
    return list.startsWith('agent.') ? `{ agent(address: "${target.wallet}") { ${inner} } }` : `{ ${inner} }`;
  };

  /** Adds one row to every list, at its start or in its middle. */
  async function grow(): Promise<void> {
    minute++;
    const { wallet } = await addListedAgent(world, { createdAt: at(minute) }, { registeredAt: at(minute), supply: 3 });
    await addHolding(world, { agent: target.wallet, holder: wallet, amount: 5 });
    await addHolding(world, { agent: wallet, holder: target.wallet, amount: 5 });
    await addTrade(world, { agent: target.wallet, trader: wallet, blockTime: at(minute) });
    await runSql(
      world.deps,
      'insert into agent_follow (follower, followed, created_at) values ($1, $2, $3), ($2, $1, $3)',
      [wallet, target.wallet, at(minute)],
    );
    await addAgent(world, { referredBy: target.wallet, referredAt: at(minute), createdAt: at(minute) });
  }

  before(async () => {
    target = await addListedAgent(world, { createdAt: at(0) }, { registeredAt: at(0), supply: 9 });
    for (let i = 0; i < 6; i++) await grow();
  });

  it('are accepted or refused with INVALID_FIELD when forged, but cause no other error', async () => {
    await runSql(world.deps, 'insert into agent_activity (id, agent, text, created_at) values ($1, $2, $3, $4)', [
      randomTxHash().slice(2, 24),
      target.wallet,
      'Hello',
      at(1),
    ]);
    const odd = ['-1', '1.5', '2147483648', 'a\0b', '2026-02-30T00:00:00.000Z', '0000-01-01T00:00:00.000Z'];
    let refused = 0;
    for (const list of [...lists.map(([name]) => name), ...sorted]) {
      const ask = (after: string | null) =>
        query(
          world,
          `query ($after: String) ${documentOf(list, 'first: 1, after: $after', 'pageInfo { endCursor }')}`,
          {
            variables: { after },
          },
        );
      const cursor = /"endCursor":"([^"]+)"/.exec(JSON.stringify((await ask(null)).data))?.[1] ?? '';
      const key: string[] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
      for (const [place] of key.entries()) {
        for (const part of odd) {
          const { errors } = await ask(Buffer.from(JSON.stringify(key.with(place, part))).toString('base64url'));
          if (errors.length === 0) continue;
          expect(errors[0]?.extensions.code, `${list} ${key.with(place, part)}`).to.equal('INVALID_FIELD');
          refused++;
        }
      }
    }
    expect(refused).to.be.above(50);
  });

  for (const [list, of] of lists) {
    it(`neither repeat nor skip rows of ${list.replace('ARGS', '…')} while rows are added`, async () => {
      const read = async (args: string) => {
        const text = documentOf(list, args, `edges { cursor node { ${of} } } pageInfo { hasNextPage endCursor }`);
        const answer = await data(world, text);
        return (answer.agent ?? answer)[/(\w+)\(/.exec(list)?.[1] ?? ''];
      };
      const nodes = ({ edges }: Json) => edges.map(({ node }: Json) => node);
      const before = nodes(await read('first: 50'));
      expect(before.length).to.be.at.least(6);
      const seen = [];
      const size = Math.ceil(before.length / 3);
      let args = `first: ${size}`;
      for (let more = true; more; ) {
        const page = await read(args);
        seen.push(...nodes(page));
        more = page.pageInfo.hasNextPage;
        args = `first: ${size}, after: "${page.pageInfo.endCursor}"`;
        await grow();
      }
      const old = new Set(before.map((node: Json) => JSON.stringify(node)));
      expect(seen.filter((node: Json) => old.has(JSON.stringify(node)))).to.deep.equal(before);
      expect(new Set(seen.map((node: Json) => JSON.stringify(node))).size).to.equal(seen.length);
    });
  }
});
