import { useQuery } from '@apollo/client/react';
import { createElement, type ReactNode, useState } from 'react';
import { Candles } from './candles';
import { AGENT, MARKET } from './documents';
import { Feed } from './feed';

export function Dashboard() {
  const [chosen, choose] = useState<string>();
  const { data, error } = useQuery(MARKET);
  const agents = data?.topAgents ?? [];
  const address = chosen ?? agents[0]?.id;
  const season = data?.seasons?.nodes[0];
  return (
    <main>
      <h1>Curvet</h1>
      {error && <p role="alert">{error.message}</p>}
      <Part
        title="Top agents"
        head={['Agent', 'ETH', '24 h', 'Holders']}
        rows={agents.map(({ id, name, ticketPriceEth, priceChange24h, holderCount }) => [
          id,
          <button key={id} type="button" aria-pressed={id === address} onClick={() => choose(id)}>
            {name}
          </button>,
          ...[ticketPriceEth, `${priceChange24h.toFixed(1)} %`, holderCount],
        ])}
      />
      {address && <AgentParts address={address} />}
      {season && (
        <Part
          title={`Season ${season.number}, ${season.isActive ? 'until' : 'ended'} ${season.endDate.slice(0, 10)}`}
          head={['Rank', 'Agent', 'Points']}
          rows={season.leaderboard?.nodes.map((row) => [row.id, row.rank, row.agent?.name, row.totalPoints.toFixed(1)])}
        />
      )}
      <Part title="Live feed">
        <Feed />
      </Part>
    </main>
  );
}

function AgentParts({ address }: { address: string }) {
  const { data, error } = useQuery(AGENT, { variables: { address } });
  if (!data?.agent) return <p role="status">{error?.message ?? 'Loading…'}</p>;
  const { name, candles, holders, pnl } = data.agent;
  const amounts = {
    Total: pnl.totalPnlWei,
    Realized: pnl.realizedWei,
    Unrealized: pnl.unrealizedWei,
    Fees: pnl.feesEarnedWei,
  };
  return (
    <>
      <Part title={`Price of ${name}`}>
        <Candles name={name} candles={candles} />
      </Part>
      <Part
        title={`Holders of ${name}`}
        head={['Holder', 'Tickets']}
        rows={holders?.nodes.map((row) => [row.id, row.agent?.name ?? row.address.slice(0, 10), row.amount])}
      />
      <Part
        title={`Profit and loss of ${name}`}
        head={['Part', 'ETH']}
        rows={Object.entries(amounts).map(([part, wei]) => [part, part, eth(wei)])}
      />
    </>
  );
}

/** An amount of wei in ETH, with four significant digits. */
const eth = (wei: string): string => (Number(wei) / 1e18).toLocaleString('en', { maximumSignificantDigits: 4 });

type PartProps = { title: string; head?: string[]; rows?: ReactNode[][] | undefined; children?: ReactNode };

/** A section, with a table or other content. The first value of a row is its key. */
const Part = ({ title, head = [], rows, children }: PartProps) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    {rows && (
      <table>
        <thead>{row('th', 'head', head)}</thead>
        <tbody>{rows.map(([key, ...values]) => row('td', String(key), values))}</tbody>
      </table>
    )}
    {children}
  </section>
);

const row = (tag: 'td' | 'th', key: string, values: ReactNode[]) =>
  createElement('tr', { key }, ...values.map((value) => createElement(tag, null, value)));
