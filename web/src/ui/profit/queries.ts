import { graphql, type ResultOf } from '../../graphql/document.js';

/** The profits of a wallet. It costs 340 points for 30 periods. */
export const profitQuery = graphql(`
  query Profits($agent: AgentRef!, $period: PeriodUnit!, $first: Int!) {
    pnlPeriods(agent: $agent, period: $period, first: $first) {
      start
      totalWei
      realizedWei
      unrealizedWei
      feesEarnedWei
      maxDrawdownWei
      trades
      totalAtEndWei
    }
  }
`);
export type ProfitPeriod = NonNullable<ResultOf<typeof profitQuery>['pnlPeriods']>[number];
