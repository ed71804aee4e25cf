import { Args, Ctx, Extensions, Query, Resolver } from 'type-graphql';
import type { GraphContext, LoaderSource } from '../../../server/graphql/context.js';
import {
  type Connection,
  connection,
  connectionType,
  loaders,
  PageArgs,
  type PageRequest,
  pageIn,
  pageOf,
  rowsByArguments,
  valueByKey,
} from '../../../server/graphql/types/connection.js';
import { nodeOf, objectType, registerEnum, relation } from '../../../server/graphql/types/object-types.js';
import type { Node } from '../../../server/resources/field.js';
import { agentField, ofAgent } from '../../agents/graphql.js';
import { TradeConnection, TradeObject, tradeNode, wantedOf } from '../../trading/graphql.js';
import { tradesOf, type Wanted } from '../../trading/trades.js';
import { calibrationsOf } from '../calibration.js';
import { outcomesOf, thesisTotals } from '../outcomes.js';
import { type RecordRow, rankedRecords, rankedTotal, recordsOf } from '../records.js';
import { calibration, calibrationBin, horizonName, outcome, outcomeState, thesisRecord } from '../resource.js';
import { horizons } from '../rules.js';

registerEnum(horizonName);
registerEnum(outcomeState);

const Outcome = objectType(outcome);
objectType(calibrationBin);
const CalibrationObject = objectType(calibration);
const ThesisRecord = objectType(thesisRecord);
const RecordConnection = connectionType('ThesisRecord', () => ThesisRecord, 'records of theses');

const thesisLoaders = ({ deps }: LoaderSource) => ({
  theses: rowsByArguments((wallets, { names, agents, ...page }: PageRequest & Wanted) =>
    tradesOf(deps, wallets, { side: 'made', withThesis: true, page, names, agents }),
  ),
  thesisCount: valueByKey((wallets: readonly string[]) => thesisTotals(deps, wallets), 0),
  record: valueByKey((wallets: readonly string[]) => recordsOf(deps, wallets), null),
  calibration: valueByKey((wallets: readonly string[]) => calibrationsOf(deps, wallets), null),
  outcomes: valueByKey((trades: readonly string[]) => outcomesOf(deps, trades), []),
});

ofAgent(
  'theses',
  {
    type: () => TradeConnection,
    args: PageArgs,
    description: 'Trades of the agent for which it gave a reason, newest first.',
  },
  async ({ wallet }, args, context, info) => {
    const { theses, thesisCount } = loaders(context, thesisLoaders);
    const page = pageIn(info, args);
    const rows = await theses.load(wallet, { ...page, ...wantedOf(info) });
    return connection(rows, page, tradeNode, () => thesisCount.load(wallet));
  },
);

type OfTrade = { readonly id: string };
const outcomesIn = (context: GraphContext, { id }: OfTrade) => loaders(context, thesisLoaders).outcomes.load(id);

/** Adds the outcomes of its thesis to a type of trades. The rows have the id of the trade. */
export function addOutcomes(type: { readonly prototype: object }): void {
  Extensions({ length: horizons.length })(type.prototype, 'outcomes');
  relation<OfTrade, object>(
    type,
    'outcomes',
    {
      type: () => [Outcome],
      description: 'Outcomes of the thesis after 1 hour, 1 day and 7 days. Empty if the trade has no thesis that counts as a call.',
    },
    async (trade, _args, context) => (await outcomesIn(context, trade)).map(nodeOf(Outcome)),
  );
  // One object costs a third of the list, and lists of trades show no more.
  relation<OfTrade, object>(
    type,
    'latestOutcome',
    { type: () => Outcome, nullable: true, description: 'Outcome at the longest horizon that is judged. Null if none is.' },
    async (trade, _args, context) => {
      const judged = (await outcomesIn(context, trade)).findLast(({ state }) => state !== 'open');
      return judged ? new Outcome(judged) : null;
    },
  );
}

addOutcomes(TradeObject);

ofAgent(
  'record',
  { type: () => ThesisRecord, nullable: true, description: 'What the theses of the agent were worth. Null without a call.' },
  async ({ wallet }, _args, context) => {
    const row = await loaders(context, thesisLoaders).record.load(wallet);
    return row && new ThesisRecord(row);
  },
);

agentField<RecordRow>(ThesisRecord, ({ author }) => author, { description: 'Agent of the record. Null if it was deleted.' });

relation<RecordRow, object>(
  ThesisRecord,
  'calibration',
  {
    type: () => CalibrationObject,
    nullable: true,
    description: 'How well the confidence of the agent agrees with what paid. Null without one.',
  },
  async ({ author }, _args, context) => {
    const row = await loaders(context, thesisLoaders).calibration.load(author);
    return row && new CalibrationObject(row);
  },
);

@Resolver()
class ThesisResolver {
  @Query(() => RecordConnection, { nullable: true, description: 'Records of theses by rank, best first.' })
  async thesisLeaderboard(
    @Args(() => PageArgs) args: PageArgs,
    @Ctx() { deps }: GraphContext,
  ): Promise<Connection<Node<RecordRow>>> {
    const page = pageOf(args);
    return connection(await rankedRecords(deps, page), page, nodeOf(ThesisRecord), () => rankedTotal(deps));
  }
}

export const resolvers = [ThesisResolver];
