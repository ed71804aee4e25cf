// Apollo Server with default settings. Resolvers follow type-graphql's documentation and use dataloaders over the same SQL:
// a typical first implementation.
import 'reflect-metadata';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import DataLoader from 'dataloader';
import pg from 'pg';
import {
  Arg,
  buildSchema,
  Ctx,
  Field,
  FieldResolver,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
  registerEnumType,
} from 'type-graphql';

enum TradeSide {
  MADE = 'MADE',
  RECEIVED = 'RECEIVED',
}
registerEnumType(TradeSide, { name: 'TradeSide' });

@ObjectType()
class Agent {
  @Field(() => String) walletAddress!: string;
  @Field(() => String) name!: string;
  @Field(() => Int) totalSupply!: number;
  @Field(() => Int) holderCount!: number;
}

@ObjectType()
class Trade {
  @Field(() => String) type!: string;
  @Field(() => Int) amount!: number;
  @Field(() => String) price!: string;
  @Field(() => Date) createdAt!: Date;
  traderAddress!: string;
}

@ObjectType()
class AgentConnection {
  @Field(() => [Agent]) nodes!: Agent[];
}

@ObjectType()
class TradeConnection {
  @Field(() => [Trade]) nodes!: Trade[];
}

type Context = {
  readonly agents: DataLoader<string, Agent | null>;
  readonly trades: DataLoader<string, Trade[]>;
};

const pool = new pg.Pool({ connectionString: process.argv[2], max: 20 });

const AGENT = `a.wallet as "walletAddress", a.name, coalesce(m.supply, 1)::int as "totalSupply",
  coalesce(m.holder_count, 1) as "holderCount" from agent a left join market m on m.wallet = a.wallet`;

async function agentsBy(wallets: readonly string[]): Promise<(Agent | null)[]> {
  const text = `select ${AGENT} where a.wallet = any($1)`;
  const { rows } = await pool.query<Agent>({ name: 'by wallet', text, values: [wallets] });
  const found = new Map(rows.map((row) => [row.walletAddress, row]));
  return wallets.map((wallet) => found.get(wallet) ?? null);
}

const tradesBy = (first: number) => async (wallets: readonly string[]) => {
  const text = `select child.* from unnest($1::text[]) as parent (id) cross join lateral (
      select t.agent, t.type, t.amount, t.price, t.block_time as "createdAt", t.trader as "traderAddress"
      from transaction t where t.agent = parent.id order by t.block_number desc, t.log_index desc limit $2) child`;
  const { rows } = await pool.query<Trade & { agent: string }>({ name: 'trades', text, values: [wallets, first] });
  const groups = Map.groupBy(rows, (row) => row.agent);
  return wallets.map((wallet) => groups.get(wallet) ?? []);
};

@Resolver(() => Agent)
class AgentResolver {
  @Query(() => AgentConnection)
  async agents(@Arg('first', () => Int) first: number): Promise<AgentConnection> {
    const text = `select ${AGENT} order by a.created_at desc, a.wallet desc limit $1`;
    const { rows } = await pool.query<Agent>({ name: 'newest', text, values: [first] });
    return { nodes: rows };
  }

  @FieldResolver(() => TradeConnection)
  async trades(
    @Root() agent: Agent,
    @Arg('first', () => Int) _first: number,
    @Arg('side', () => TradeSide) _side: TradeSide,
    @Ctx() { trades }: Context,
  ): Promise<TradeConnection> {
    return { nodes: await trades.load(agent.walletAddress) };
  }
}

@Resolver(() => Trade)
class TradeResolver {
  @FieldResolver(() => Agent, { nullable: true })
  trader(@Root() trade: Trade, @Ctx() { agents }: Context): Promise<Agent | null> {
    return agents.load(trade.traderAddress);
  }
}

const schema = await buildSchema({ resolvers: [AgentResolver, TradeResolver], validate: false });
const server = new ApolloServer<Context>({ schema });
const { url } = await startStandaloneServer(server, {
  listen: { port: 0, host: '127.0.0.1' },
  context: async () => ({ agents: new DataLoader(agentsBy), trades: new DataLoader(tradesBy(5)) }),
});
process.stdout.write(`ready at ${url.replace('localhost', '127.0.0.1')}\n`);
