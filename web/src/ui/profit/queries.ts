import { graphql, type ResultOf } from '../../graphql/document.js';

/** The profits of a wallet. */
export const profitQuery = graphql(`
  query Profits($agent: AgentRef!, $period: PeriodUnit!) {
    pnlPeriods(agent: $agent, period: $period, first: 30) {
      start
      totalWei
      realizedWei
      unrealizedWei
      feesEarnedWei
      maxDrawdownWei
      totalAtEndWei
      valueAtEndWei
    }
  }
`);
export type ProfitPeriod = NonNullable<ResultOf<typeof profitQuery>['pnlPeriods']>[number];
