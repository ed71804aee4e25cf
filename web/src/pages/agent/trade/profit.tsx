import { useEffect, useState } from 'preact/hooks';
import { readProfit } from '../../../alerts/position.js';
import { useApp } from '../../../app-context.js';
import { Change } from '../../../ui/figure/change.js';
import { Bar } from '../../../ui/skeleton.js';

type Props = { readonly agent: string; readonly supply: number; readonly wallet: string };

/** Profit of the wallet's tickets in the agent, in percent of their cost. It is read again after each trade in the agent. */
export function Profit({ agent, supply, wallet }: Props) {
  const { connection } = useApp();
  const [read, setRead] = useState<{ readonly percent: number | undefined } | undefined>(undefined);
  useEffect(() => {
    let isOpen = true;
    readProfit(connection, wallet, { id: agent, totalSupply: supply }).then(
      (percent) => isOpen && setRead({ percent }),
      // The next trade reads it again.
      () => {},
    );
    return () => {
      isOpen = false;
    };
  }, [agent, supply, wallet]);
  if (!read) return <Bar width={5} />;
  return read.percent === undefined ? '–' : <Change percent={read.percent} />;
}
