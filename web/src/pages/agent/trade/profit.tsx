import { useEffect, useState } from 'preact/hooks';
import { readHolding } from '../../../alerts/figures.js';
import { profitOf } from '../../../alerts/rules.js';
import { useApp } from '../../../app-context.js';
import { feesQuery, splitOf } from '../../../contract/fees.js';
import { Change } from '../../../ui/figure/change.js';
import { Bar } from '../../../ui/skeleton.js';

type Props = { readonly agent: string; readonly supply: number; readonly wallet: string };

/**
 * Profit of the wallet's tickets of the agent, in percent of their cost. Each trade changes the supply, which makes this
 * component read the profit again.
 */
export function Profit({ agent, supply, wallet }: Props) {
  const { connection } = useApp();
  const [read, setRead] = useState<{ readonly percent: number | undefined } | undefined>(undefined);
  useEffect(() => {
    let isOpen = true;
    const start = async () => {
      const { contract } = await connection.query(feesQuery, {});
      const holding = await readHolding(connection.query, { wallet, agent, split: splitOf(contract) });
      if (isOpen) setRead({ percent: holding && profitOf(holding) });
    };
    // A failed read is not repeated here: the next trade causes another read.
    start().catch(() => {});
    return () => {
      isOpen = false;
    };
  }, [agent, supply, wallet]);
  if (!read) return <Bar width={5} />;
  return read.percent === undefined ? '–' : <Change percent={read.percent} />;
}
