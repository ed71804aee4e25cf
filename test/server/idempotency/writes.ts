import { claim, freshIp, freshName, newAgent, success } from '../../support/market/agents.js';
import { signReplacement } from '../../support/market/key-replacements.js';
import { addListedAgent } from '../../support/market/rows.js';
import { newTrader } from '../../support/market/traders.js';
import type { World } from '../../support/world.js';

/** A write over REST and over GraphQL. Its preconditions hold already. `other` is the same write with other content. */
export type Write = {
  readonly key?: string;
  readonly path: string;
  readonly body?: Record<string, unknown>;
  /** Arguments of the mutation. */
  readonly args: Record<string, unknown>;
  readonly other: {
    readonly path?: string;
    readonly body?: Record<string, unknown>;
    readonly args?: Record<string, unknown>;
  };
};

type Operation = {
  /** Method and path as declared. */
  readonly endpoints: readonly string[];
  readonly mutation: string;
  /** GraphQL fields of the mutation's result, and other fields for a retry that selects differently. */
  readonly selection: string;
  readonly otherSelection: string;
  prepare(world: World): Promise<Write>;
};

const post = async (world: World): Promise<string> => {
  const { key } = await addListedAgent(world);
  const body = { text: `Post of ${freshName()}` };
  const answer = success(await world.ask('POST', '/api/feed', { key, body, headers: freshIp() }));
  return (answer.post as { id: string }).id;
};

const reaction = (kind: 'like' | 'repost', state: string, count: string): Operation => ({
  endpoints: [`POST /api/feed/{id}/${kind}`],
  mutation: kind === 'like' ? 'toggleLike' : 'toggleRepost',
  selection: `${state} ${count}`,
  otherSelection: count,
  async prepare(world) {
    const [{ key }, id, otherId] = [await addListedAgent(world), await post(world), await post(world)];
    const args = { postId: id };
    return {
      key,
      path: `/api/feed/${id}/${kind}`,
      body: {},
      args,
      other: { path: `/api/feed/${otherId}/${kind}`, args: { postId: otherId } },
    };
  },
});

const trade = (side: 'buy' | 'sell'): Operation => ({
  endpoints: [`POST /api/tickets/${side}`],
  mutation: side === 'buy' ? 'recordBuy' : 'recordSell',
  selection:
    'trade { id type price total realizedPnlWei thesis createdAt agent { name } } position { amount avgCostBasis }',
  otherSelection: 'position { amount } trade { trader { name } }',
  async prepare(world) {
    const [ada, bob] = [await newAgent(world), await newAgent(world)];
    let { hash: txHash } = await bob.trader.buy(ada.wallet, 2);
    if (side === 'sell') ({ hash: txHash } = await bob.trader.sell(ada.wallet, 1));
    const input = { txHash, agentAddress: ada.wallet, amount: side === 'buy' ? 2 : 1, thesis: 'Cheap' };
    const changed = { ...input, thesis: 'Dear' };
    return {
      key: bob.key,
      path: `/api/tickets/${side}`,
      body: input,
      args: { input },
      other: { body: changed, args: { input: changed } },
    };
  },
});

/** Every write of the service. */
export const operations: readonly Operation[] = [
  {
    endpoints: ['POST /api/agents'],
    mutation: 'registerAgent',
    selection: 'apiKey verificationCode claimUrl agent { name walletAddress }',
    otherSelection: 'apiKey',
    async prepare(world) {
      const [trader, name] = [await newTrader(world.chain), freshName()];
      await trader.register(name);
      const input = { name, walletAddress: trader.wallet };
      const changed = { ...input, description: 'Other' };
      return { path: '/api/agents', body: input, args: { input }, other: { body: changed, args: { input: changed } } };
    },
  },
  {
    endpoints: ['POST /api/agents/key'],
    mutation: 'replaceKey',
    selection: 'name apiKey',
    otherSelection: 'apiKey agentId',
    async prepare(world) {
      const { trader, wallet } = await newAgent(world);
      const input = await signReplacement(world, trader.signer, wallet);
      const changed = await signReplacement(world, trader.signer, wallet);
      return {
        path: '/api/agents/key',
        body: input,
        args: { input },
        other: { body: changed, args: { input: changed } },
      };
    },
  },
  {
    endpoints: ['POST /api/agents/verify'],
    mutation: 'verifyAgent',
    selection: 'status socialHandle',
    otherSelection: 'name',
    async prepare(world) {
      const { code, key } = await newAgent(world);
      const tweetUrl = await world.deps.dev?.publish('owner', `My code is ${code}`);
      const args = { verificationCode: code, tweetUrl };
      const changed = { ...args, tweetUrl: 'https://x.com/owner/status/999999' };
      return { key, path: '/api/agents/verify', body: args, args, other: { body: changed, args: changed } };
    },
  },
  {
    endpoints: ['DELETE /api/agents/me/claim'],
    mutation: 'dropClaim',
    selection: 'status socialHandle',
    otherSelection: 'name',
    async prepare(world) {
      const agent = await newAgent(world);
      await claim(world, agent);
      return { key: agent.key, path: '/api/agents/me/claim', args: {}, other: {} };
    },
  },
  {
    endpoints: [],
    mutation: 'markNotificationsRead',
    selection: 'id notifications { totalUnread nodes { id read } }',
    otherSelection: 'totalHoldings',
    async prepare(world) {
      const [{ key, wallet }, fan] = [await addListedAgent(world), await addListedAgent(world)];
      const body = { targetAddress: wallet };
      success(await world.ask('POST', '/api/agents/follow', { key: fan.key, body, headers: freshIp() }));
      return { key, path: '', args: {}, other: { args: { upTo: '1' } } };
    },
  },
  {
    endpoints: ['PATCH /api/agents/me'],
    mutation: 'updateMe',
    selection: 'bio description referredBy',
    otherSelection: 'name',
    async prepare(world) {
      const [{ key }, referrer] = [await addListedAgent(world), await newAgent(world)];
      await claim(world, referrer);
      const input = { bio: 'A new <b>bio</b>', description: '', referredBy: referrer.agentId };
      const changed = { ...input, bio: 'Another bio' };
      return {
        key,
        path: '/api/agents/me',
        body: input,
        args: { input },
        other: { body: changed, args: { input: changed } },
      };
    },
  },
  {
    endpoints: ['DELETE /api/agents/{address}', 'DELETE /api/agents/me'],
    mutation: 'deleteAgent',
    selection: 'deleted walletAddress',
    otherSelection: 'deleted',
    async prepare(world) {
      const { key, wallet } = await addListedAgent(world);
      return { key, path: `/api/agents/${wallet}`, args: { address: wallet }, other: {} };
    },
  },
  {
    endpoints: ['POST /api/agents/follow'],
    mutation: 'toggleFollow',
    selection: 'following followerCount',
    otherSelection: 'following',
    async prepare(world) {
      const [{ key }, target, second] = [
        await addListedAgent(world),
        await addListedAgent(world),
        await addListedAgent(world),
      ];
      const args = { targetAddress: target.wallet };
      const changed = { targetAddress: second.wallet };
      return { key, path: '/api/agents/follow', body: args, args, other: { body: changed, args: changed } };
    },
  },
  {
    endpoints: ['POST /api/feed'],
    mutation: 'post',
    selection: 'id text createdAt',
    otherSelection: 'id',
    async prepare(world) {
      const { key } = await addListedAgent(world);
      const args = { text: `Hello from ${freshName()}` };
      const changed = { text: 'Something else' };
      return { key, path: '/api/feed', body: args, args, other: { body: changed, args: changed } };
    },
  },
  reaction('like', 'liked', 'likeCount'),
  reaction('repost', 'reposted', 'repostCount'),
  trade('buy'),
  trade('sell'),
];

/** The tables, except that of the stored answers. */
const tablesOf = ({ deps }: World) =>
  deps.sql<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables
     where schemaname = 'public' and tablename <> 'idempotent_write' order by tablename`,
  );

/**
 * Whether the transaction that stored the latest answer wrote something else: its effect. PostgreSQL stores the id of the
 * transaction in the system column `xmin` of each row that it has written.
 */
export async function isStoredWithEffect(world: World): Promise<boolean> {
  const latest = '(select xmin from idempotent_write where answer is not null order by created_at desc limit 1)';
  const rows = (await tablesOf(world)).map(
    ({ name }) => `select '${name}' as name from ${name} where xmin = ${latest}`,
  );
  return (await world.deps.sql(rows.join(' union all '))).length > 0;
}

/** A digest of every table, except that of the stored answers. A write changes it. */
export async function contentOfTables(world: World): Promise<string> {
  const tables = await tablesOf(world);
  const digests = tables.map(
    ({ name }) =>
      `select '${name} ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as digest from ${name} t`,
  );
  const rows = await world.deps.sql<{ digest: string }>(digests.join(' union all '));
  return rows.map(({ digest }) => digest).join('\n');
}
