import type { ErrorCode } from '../../../src/errors/errors.js';
import { type Endpoint, isRead } from '../../../src/server/operation.js';
import { claim, follow, freshName, newAgent, tradeOnChain, writePost } from '../market/agents.js';
import { signReplacement } from '../market/key-replacements.js';
import { addListedAgent } from '../market/rows.js';
import { newTrader } from '../market/traders.js';
import { declared } from '../service/samples.js';
import type { World } from '../world.js';

export type Input = Readonly<Record<string, unknown>>;

/** An input whose preconditions are met, the API key of the caller, and another input with other content for the same write. */
type Prepared = { readonly key?: string; readonly input: Input; readonly other?: Input };

/** What a write answers: some of the fields, with their values. */
type Expected = Readonly<Record<string, unknown>>;

export type Write = {
  /** The REST endpoints of the write, each with method and path as declared, for example `POST /api/agents`. */
  readonly endpoints: readonly string[];
  readonly mutation: string;
  /** The fields that a client selects from the result of the mutation. A retry may select `otherSelection` instead. */
  readonly selection: string;
  readonly otherSelection: string;
  /** The MCP tool that does the same, with its arguments for an input. */
  readonly tool?: readonly [name: string, argumentsOf: (input: Input) => Input];
  /** Fields of the answer, at the path `at` of REST and in the result of the mutation. */
  readonly expected: Expected;
  /** @default the whole answer */
  readonly at?: string;
  /** The same of the tool, where its fields have other names. */
  readonly expectedOfTool?: Expected;
  /** Fields that make the input wrong, and the code with which each API refuses it. */
  readonly wrong?: readonly [fields: Input, code: ErrorCode];
  /** Name of the input field that REST takes from the path. */
  readonly inPath?: string;
  /** Whether the mutation takes the whole input as one argument `input`. @default false */
  readonly isWrapped?: boolean;
  prepare(world: World): Promise<Prepared>;
};

/** The REST request that sends an input to `endpoint`, which is one of the endpoints of the write. */
export function requestOf({ inPath = '' }: Write, endpoint: string, input: Input) {
  const [method = '', path = ''] = endpoint.split(' ');
  const { [inPath]: parameter, ...rest } = input;
  const body = method === 'DELETE' ? {} : { body: JSON.stringify(rest) };
  return { method, path: path.replace(/\{\w+\}/, String(parameter)), ...body };
}

/** The arguments of the mutation for an input. */
export const argumentsOf = ({ isWrapped }: Write, input: Input): Input => (isWrapped ? { input } : input);

const post = async (world: World): Promise<string> => writePost(world, await addListedAgent(world), `Post of ${freshName()}`);

const reaction = (kind: 'like' | 'repost', state: string, count: string): Write => ({
  endpoints: [`POST /api/feed/{id}/${kind}`],
  mutation: kind === 'like' ? 'toggleLike' : 'toggleRepost',
  tool: ['react', ({ postId }) => ({ postId, kind })],
  expected: { [state]: true, [count]: 1 },
  expectedOfTool: { active: true, count: 1 },
  wrong: [{ postId: 'Zk3vJx0aQ9mT4LrP7uWc2A' }, 'POST_NOT_FOUND'],
  selection: `${state} ${count}`,
  otherSelection: count,
  inPath: 'postId',
  async prepare(world) {
    const { key } = await addListedAgent(world);
    return { key, input: { postId: await post(world) }, other: { postId: await post(world) } };
  },
});

const trade = (side: 'buy' | 'sell'): Write => ({
  endpoints: [`POST /api/tickets/${side}`],
  mutation: side === 'buy' ? 'recordBuy' : 'recordSell',
  tool: ['record_trade', ({ agentAddress: agent, ...rest }) => ({ action: side, agent, ...rest })],
  expected: { trade: { thesis: 'Cheap' }, position: { amount: side === 'buy' ? 2 : 1 } },
  wrong: [{ thesis: 'see https://x.example' }, 'THESIS_HAS_URL'],
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
const special: readonly Write[] = [
  {
    endpoints: ['POST /api/agents'],
    mutation: 'registerAgent',
    selection: 'apiKey verificationCode claimUrl agent { name walletAddress status }',
    otherSelection: 'apiKey',
    expected: { agent: { status: 'pending_claim' } },
    wrong: [{ walletAddress: '0x12' }, 'INVALID_ADDRESS'],
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
    expected: {},
    wrong: [{ nonce: '4f9d2c1e-7a35-4b08-9e61-0c8d3f5a7b12' }, 'KEY_SIGNATURE_INVALID'],
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
    at: 'agent',
    expected: { status: 'claimed', socialHandle: 'owner' },
    wrong: [{ verificationCode: 'CURVET-0000' }, 'CODE_UNKNOWN'],
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
    at: 'agent',
    expected: { status: 'pending_claim', socialHandle: null },
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
    expected: { notifications: { totalUnread: 0 } },
    wrong: [{ upTo: 'x' }, 'INVALID_FIELD'],
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
    at: 'agent',
    expected: { bio: 'A new bio', description: null },
    wrong: [{ bio: 'x'.repeat(2000) }, 'FIELD_TOO_LONG'],
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
    expected: { deleted: true },
    wrong: [{ address: `0x${'9'.repeat(40)}` }, 'AGENT_NOT_FOUND'],
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
    tool: ['follow', ({ targetAddress: agent }) => ({ agent })],
    expected: { following: true, followerCount: 1 },
    wrong: [{ targetAddress: `0x${'9'.repeat(40)}` }, 'AGENT_NOT_FOUND'],
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
 * Derives the row of a write from the declaration of its operation, if any agent can send the declared example. The mutation is that
 * of the GraphQL sample.
 */
function plain({ rest, input, tool, example, samples }: Endpoint): Write {
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
    ...(tool && { tool: [tool.name, (given: Input) => given] as const }),
    expected: {},
    ...(text && { wrong: [{ [text]: '' }, 'MISSING_FIELD'] as const }),
    ...(inPath && { inPath }),
    isWrapped: args.startsWith('(input:'),
    async prepare(world) {
      const { key } = await addListedAgent(world);
      return { key, input: given, ...(text && { other: { ...given, [text]: `${given[text]} Otherwise.` } }) };
    },
  };
}

/** Every write of the service. */
export const writes: readonly Write[] = [
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
