import { useEffect, useRef, useState } from 'preact/hooks';
import { etherText } from '../../format/ether.js';
import { dayText } from '../../format/time.js';
import { useQuery } from '../../graphql/use-query.js';
import { ChartFrame } from '../chart/chart-frame.js';
import { Choices } from '../control/choices.js';
import { Download } from '../control/download.js';
import { useChoice } from '../control/use-choice.js';
import { Amount } from '../figure/amount.js';
import { Empty, ProblemView, StaleNote } from '../problem-view.js';
import { RowTable } from '../row-table.js';
import { ProfitChart } from './profit-chart.js';
import { type ProfitPeriod, profitQuery } from './queries.js';
import { profitTexts } from './texts.js';
import './profit.css';

const words = profitTexts;
const UNITS = { day: 'DAY', week: 'WEEK', month: 'MONTH', season: 'SEASON' } as const;
type Unit = keyof typeof UNITS;
const CSV = [
  ...(['start', 'totalWei', 'realizedWei', 'unrealizedWei', 'feesEarnedWei', 'maxDrawdownWei'] as const),
  ...(['totalAtEndWei', 'valueAtEndWei'] as const),
];

type Props = {
  /** Wallet address, agentId or name. */
  readonly wallet: string;
  /** Number of trades of the wallet, if the page knows it. The profits are read again when it changes. */
  readonly trades?: number | undefined;
};

/** The profit of a wallet over time: a chart of its sum, a table of the periods, and a download. */
export function ProfitView({ wallet, trades }: Props) {
  const [unit, setUnit] = useChoice<Unit>('profit', UNITS, 'day');
  const { data, problem, reload } = useQuery(profitQuery, { agent: wallet, period: UNITS[unit] });
  const seen = useRef(trades);
  useEffect(() => {
    if (seen.current !== undefined && seen.current !== trades) reload();
    seen.current = trades;
  }, [trades, reload]);
  const periods = data?.pnlPeriods ?? undefined;
  return (
    <div class="profit" aria-busy={periods === undefined && problem === undefined}>
      <StaleNote problem={data && problem} />
      <Choices label={words.choose} options={words.periods} chosen={unit} choose={setUnit} />
      {!data && problem ? (
        <ProblemView problem={problem} retry={reload} />
      ) : periods?.length === 0 ? (
        <Empty>{unit === 'season' ? words.noSeason : words.empty}</Empty>
      ) : (
        <Periods key={unit} wallet={wallet} unit={unit} periods={periods} />
      )}
    </div>
  );
}

type PeriodsProps = {
  readonly wallet: string;
  readonly unit: Unit;
  /** undefined while they are loading. */
  readonly periods: readonly ProfitPeriod[] | undefined;
};

function Periods({ wallet, unit, periods = [] }: PeriodsProps) {
  const [chosen, choose] = useState<number | undefined>(undefined);
  return (
    <>
      <ChartFrame
        label={words.label(words.periods[unit])}
        summary={periods.length > 0 ? summaryOf(periods) : ''}
        length={periods.length}
        chosen={chosen}
        choose={choose}
        describe={(index) => describe(periods[index])}
        table={<PeriodTable periods={periods} />}
      >
        <ProfitChart periods={periods} chosen={chosen} choose={choose} />
      </ChartFrame>
      <p class="profit-end small muted">
        <span>{words.meaning}</span>
        {periods.length > 0 && (
          <Download name={`profit-${wallet}-${unit}.csv`} text={words.download} columns={CSV} rows={periods} />
        )}
      </p>
    </>
  );
}

const signed = (wei: string): string => `${BigInt(wei) > 0n ? '+' : ''}${etherText(BigInt(wei))}`;

function summaryOf(periods: readonly ProfitPeriod[]): string {
  const falls = periods.map(({ maxDrawdownWei }) => BigInt(maxDrawdownWei));
  const largest = falls.reduce((most, fall) => (fall > most ? fall : most), 0n);
  return words.summary(signed(periods.at(-1)?.totalAtEndWei ?? '0'), etherText(largest));
}

const describe = (period: ProfitPeriod | undefined): string =>
  period ? words.point(dayText(Date.parse(period.start)), signed(period.totalAtEndWei), signed(period.totalWei)) : '';

const COLUMNS = ['', ...Array<string>(7).fill('num')];

function PeriodTable({ periods }: { readonly periods: readonly ProfitPeriod[] }) {
  return (
    <RowTable
      class="compact"
      caption={words.caption}
      heads={words.columns}
      columns={COLUMNS}
      rows={periods.toReversed()}
      loading={{ rows: 0, widths: [] }}
      row={({ start, totalWei, realizedWei, unrealizedWei, feesEarnedWei, maxDrawdownWei, totalAtEndWei, valueAtEndWei }) => (
        <tr key={start}>
          <th scope="row">{dayText(Date.parse(start))}</th>
          {[totalWei, realizedWei, unrealizedWei, feesEarnedWei, totalAtEndWei].map((wei, i) => (
            <td key={i} class="num">
              <Amount wei={wei} usd="none" signed />
            </td>
          ))}
          {[valueAtEndWei, maxDrawdownWei].map((wei, i) => (
            <td key={i} class="num">
              <Amount wei={wei} usd="none" />
            </td>
          ))}
        </tr>
      )}
    />
  );
}
