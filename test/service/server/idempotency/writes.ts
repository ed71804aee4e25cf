import { type Endpoint, isRead } from '../../../../src/server/operation.js';
import { claim, follow, freshName, newAgent, tradeOnChain, writePost } from '../../../support/market/agents.js';
import { signReplacement } from '../../../support/market/key-replacements.js';
import { addListedAgent } from '../../../support/market/rows.js';
import { newTrader } from '../../../support/market/traders.js';
import { declared } from '../../../support/service/samples.js';
import type { World } from '../../../support/world.js';

type Input = Readonly<Record<string, unknown>>;

/** An input whose preconditions are met, the API key of the caller, and another input with other content for the same write. */
type Prepared = { readonly key?: string; readonly input: Input; readonly other?: Input };

type Operation = {
  /** The REST endpoints of the write, each with method and path as declared, for example `POST /api/agents`. */
  readonly endpoints: readonly string[];
  readonly mutation: string;
  /** The fields that a client selects from the result of the mutation. A retry may select `otherSelection` instead. */
  readonly selection: string;
  readonly otherSelection: string;
  /** Name of the input field that REST takes from the path. */
  readonly inPath?: string;
  /** Whether the mutation takes the whole input as one argument `input`. @default false */
  readonly isWrapped?: boolean;
  prepare(world: World): Promise<Prepared>;
};

/** The REST request that sends an input to `endpoint`, which is one of the endpoints of the operation. */
export function requestOf({ inPath = '' }: Operation, endpoint: string, input: Input) {
  const [method = '', path = ''] = endpoint.split(' ');
  const { [inPath]: parameter, ...rest } = input;
  const body = method === 'DELETE' ? {} : { body: JSON.stringify(rest) };
  return { method, path: path.replace(/\{\w+\}/, String(parameter)), ...body };
}

/** The arguments of the mutation for an input. */
export const argumentsOf = ({ isWrapped }: Operation, input: Input): Input => (isWrapped ? { input } : input);

const post = async (world: World): Promise<string> => writePost(world, await addListedAgent(world), `Post of ${freshName()}`);

const reaction = (kind: 'like' | 'repost', state: string, count: string): Operation => ({
  endpoints: [`POST /api/feed/{id}/${kind}`],
  mutation: kind === 'like' ? 'toggleLike' : 'toggleRepost',
  selection: `${state} ${count}`,
  otherSelection: count,
  inPath: 'postId',
  async prepare(world) {
    const { key } = await addListedAgent(world);
    return { key, input: { postId: await post(world) }, other: { postId: await post(world) } };
  },
});

const trade = (side: 'buy' | 'sell'): Operation => ({
  endpoints: [`POST /api/tickets/${side}`],
  mutation: side === 'buy' ? 'recordBuy' : 'recordSell',
  selection: 'trade { id type price total realizedPnlWei thesis createdAt agent { name } } position { amount avgCostBasis }',
  otherSelection: 'position { amount } trade { trader { name } }',
  isWrapped: true,
  async prepare(world) {
    const [ada, bob] = [await newAgent(world), await newAgent(world)];
    const bought = await tradeOnChain(bob, 'buy', ada, 2);
    const made = side === 'buy' ? bought : await tradeOnChain(bob, 'sell', ada, 1);
    const input = { ...made, thesis: 'Cheap' };
    return { key: bob.key, input, other: { ...input, thesis: 'Dear' } };
  },
});

/** The writes that `plain` cannot derive: those with preconditions, with several endpoints, or without an endpoint. */
const special: readonly Operation[] = [
  {
    endpoints: ['POST /api/agents'],
    mutation: 'registerAgent',
    selection: 'apiKey verificationCode claimUrl agent { name walletAddress }',
    otherSelection: 'apiKey',
    isWrapped: true,
    async prepare(world) {
      const [trader, name] = [await newTrader(world.chain), freshName()];
      await trader.register(name);
      const input = { name, walletAddress: trader.wallet };
      return { input, other: { ...input, description: 'Other' } };
    },
  },
  {
    endpoints: ['POST /api/agents/key'],
    mutation: 'replaceKey',
    selection: 'name apiKey',
    otherSelection: 'apiKey agentId',
    isWrapped: true,
    async prepare(world) {
      const { trader, wallet } = await newAgent(world);
      const sign = () => signReplacement(world, trader.signer, wallet);
      return { input: await sign(), other: await sign() };
    },
  },
  {
    endpoints: ['POST /api/agents/verify'],
    mutation: 'verifyAgent',
    selection: 'status socialHandle',
    otherSelection: 'name',
    async prepare(world) {
      const { code, key } = await newAgent(world);
      const input = {
        verificationCode: code,
        tweetUrl: await world.deps.dev?.publish('owner', `My code is ${code}`),
      };
      return { key, input, other: { ...input, tweetUrl: 'https://x.com/owner/status/999999' } };
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
      return { key: agent.key, input: {} };
    },
  },
  {
    endpoints: [],
    mutation: 'markNotificationsRead',
    selection: 'id notifications { totalUnread nodes { id read } }',
    otherSelection: 'totalHoldings',
    async prepare(world) {
      const followed = await addListedAgent(world);
      await follow(world, await addListedAgent(world), followed);
      return { key: followed.key, input: {}, other: { upTo: '1' } };
    },
  },
  {
    endpoints: ['PATCH /api/agents/me'],
    mutation: 'updateMe',
    selection: 'bio description referredBy',
    otherSelection: 'name',
    isWrapped: true,
    async prepare(world) {
      const [{ key }, referrer] = [await addListedAgent(world), await newAgent(world)];
      await claim(world, referrer);
      const input = { bio: 'A new <b>bio</b>', description: '', referredBy: referrer.agentId };
      return { key, input, other: { ...input, bio: 'Another bio' } };
    },
  },
  {
    endpoints: ['DELETE /api/agents/{address}', 'DELETE /api/agents/me'],
    mutation: 'deleteAgent',
    selection: 'deleted walletAddress',
    otherSelection: 'deleted',
    inPath: 'address',
    async prepare(world) {
      const { key, wallet } = await addListedAgent(world);
      return { key, input: { address: wallet } };
    },
  },
  {
    endpoints: ['POST /api/agents/follow'],
    mutation: 'toggleFollow',
    selection: 'following followerCount',
    otherSelection: 'following',
    async prepare(world) {
      const [{ key }, one, two] = [await addListedAgent(world), await addListedAgent(world), await addListedAgent(world)];
      return { key, input: { targetAddress: one.wallet }, other: { targetAddress: two.wallet } };
    },
  },
  reaction('like', 'liked', 'likeCount'),
  reaction('repost', 'reposted', 'repostCount'),
  trade('buy'),
  trade('sell'),
];

/**
 * Derives the operation of a write from its declaration, if any agent can send the declared example. The mutation is that of the
 * GraphQL sample.
 */
function plain({ rest, input, example, samples }: Endpoint): Operation {
  const [, mutation = '', args = '', selection = ''] =
    /^mutation \{ (\w+)(\(.*?\))? \{ (.*) \} \}$/.exec(samples?.graphql ?? '') ?? [];
  const [inPath] = Object.keys(input.shape).filter((name) => rest.includes(`{${name}}`));
  const given: Input = example?.request ?? {};
  const [text] = Object.keys(given).filter((name) => typeof given[name] === 'string' && name !== inPath);
  return {
    endpoints: [rest],
    mutation,
    selection,
    otherSelection: '__typename',
    ...(inPath && { inPath }),
    isWrapped: args.startsWith('(input:'),
    async prepare(world) {
      const { key } = await addListedAgent(world);
      return { key, input: given, ...(text && { other: { ...given, [text]: `${given[text]} Otherwise.` } }) };
    },
  };
}

/** Every write of the service. */
export const operations: readonly Operation[] = [
  ...special,
  ...declared
    .filter((one) => !isRead(one) && one.path.startsWith('/api/'))
    .filter(({ rest }) => !special.some(({ endpoints }) => endpoints.includes(rest)))
    .map(plain),
];

/** The names of all tables except `idempotent_write`, which contains the stored answers. */
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
  const rows = (await tablesOf(world)).map(({ name }) => `select '${name}' as name from ${name} where xmin = ${latest}`);
  return (await world.deps.sql(rows.join(' union all '))).length > 0;
}

/**
 * A digest of every table except `idempotent_write`. Each tested write changes it, so an equal digest proves that no write was
 * executed.
 */
export async function contentOfTables(world: World): Promise<string> {
  const tables = await tablesOf(world);
  const digests = tables.map(
    ({ name }) => `select '${name} ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as digest from ${name} t`,
  );
  const rows = await world.deps.sql<{ digest: string }>(digests.join(' union all '));
  return rows.map(({ digest }) => digest).join('\n');
}
