import { registerEnumType } from 'type-graphql';
import * as enums from '../../../server/resources/enums.js';

for (const { values, meanings, name, description } of Object.values(enums)) {
  const valuesConfig = Object.fromEntries(Object.entries(meanings).map(([key, text]) => [key, { description: text }]));
  registerEnumType(values, { name, description, valuesConfig });
}

export const AgentSort = enums.agentSort.values;
export const SortOrder = enums.sortOrder.values;
export const TradeType = enums.tradeType.values;
export const TradeSide = enums.tradeSide.values;
export const Action = enums.action.values;
export const Interval = enums.interval.values;
export const FeedType = enums.feedType.values;
export const FeedSort = enums.feedSort.values;
export const ChangeKind = enums.changeKind.values;

export type Of<Enum> = Enum[keyof Enum];
