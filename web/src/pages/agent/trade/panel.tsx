import { useEffect, useState } from 'preact/hooks';
import { useApp } from '../../../app-context.js';
import { payoutOf, splitOf } from '../../../contract/fees.js';
import { counted } from '../../../format/number.js';
import { texts } from '../../../texts.js';
import { Amount } from '../../../ui/figure/amount.js';
import { Words } from '../../../ui/figure/words.js';
import { Empty } from '../../../ui/problem-view.js';
import { ConnectPanel } from '../../../ui/wallet/connect-panel.js';
import type { Choice, Step } from '../curve.js';
import type { Agent, Contract, Figures } from '../queries.js';
import { Breakdown } from './breakdown.js';
import { ChainNotice } from './chain-notice.js';
import { boundOf, mostAffordable } from './order.js';
import { Progress } from './progress.js';
import { SlippageField } from './slippage-field.js';
import { TicketsField } from './tickets-field.js';
import { type Holdings, useHoldings } from './use-holdings.js';
import { useTrade } from './use-trade.js';
import './trade.css';

const words = texts.trade;

export type PanelProps = {
  readonly agent: Agent | undefined;
  readonly figures: Figures | undefined;
  readonly contract: Contract | undefined;
  readonly isLoading: boolean;
  readonly choice: Choice;
  readonly choose: (choice: Choice) => void;
  /** What each number of tickets costs or returns now. */
  readonly steps: readonly Step[];
  /** Shows newer figures of the agent. */
  readonly show: (figures: Partial<Figures>) => void;
  /** Reads the data of the page again. */
  readonly reload: () => void;
};

/** Buys or sells tickets of the agent with a wallet of the browser: amounts, tolerance, wallet, and the trade itself. */
export function TradePanel({ agent, figures, contract, isLoading, choice, choose, steps, ...page }: PanelProps) {
  const { side } = choice;
  const [slippage, setSlippage] = useState(1);
  const trading = useTrade(page);
  const holdings = useHoldings(agent?.id, contract, trading.state?.progress.step);
  const most = side === 'sell' && holdings ? Math.min(steps.length, holdings.tickets) : steps.length;
  const tickets = Math.min(choice.tickets, Math.max(1, most));
  const setTickets = (next: number) => choose({ side, tickets: next });
  useEffect(() => {
    // The curve beside the panel shows the same number of tickets.
    if (steps.length > 0 && tickets !== choice.tickets) setTickets(tickets);
  }, [steps.length, tickets, choice.tickets]);
  const step = steps[tickets - 1];
  const bound = step && boundOf(side, step, slippage);
  const fill = {
    text: side === 'sell' && holdings && holdings.tickets <= steps.length ? words.sellAll : words.most,
    tickets: side === 'buy' && holdings ? mostAffordable(steps, slippage, holdings) : Math.max(1, most),
  };
  const start = () => {
    if (!agent || !contract || bound === undefined) return;
    trading.start({ side, agent: agent.id, contract: contract.address, tickets, slippage, bound });
  };
  return (
    <>
      <TicketsField tickets={tickets} most={most} choose={setTickets} fill={fill} />
      {!isLoading && !contract ? (
        <Empty>{texts.agent.curve.noChain}</Empty>
      ) : !isLoading && steps.length === 0 ? (
        <Empty>{texts.agent.curve.lastTicket}</Empty>
      ) : (
        <Breakdown side={side} step={step} bound={bound} contract={contract} isLoading={isLoading} />
      )}
      <SlippageField slippage={slippage} change={setSlippage} />
      {(isLoading || bound !== undefined) && (
        <Ask {...{ side, tickets, contract, holdings, bound, start }} isBusy={trading.isBusy} />
      )}
      {trading.state && <Progress state={trading.state} figures={figures} holdings={holdings} />}
      <ConnectPanel />
      <WalletFigures
        holdings={holdings}
        // During a trade, the tickets are those of the chain, and the supply is that of the service.
        supply={trading.isBusy ? undefined : figures?.totalSupply}
        contract={contract}
      />
    </>
  );
}

type AskProps = Pick<Choice, 'side' | 'tickets'> & {
  readonly bound: bigint | undefined;
  readonly contract: Contract | undefined;
  readonly holdings: Holdings | undefined;
  readonly isBusy: boolean;
  readonly start: () => void;
};

/** The reason why the trade cannot be sent, or the button that asks the wallet to sign. Nothing without a wallet. */
function Ask({ side, tickets, bound, contract, holdings, isBusy, start }: AskProps) {
  const wallet = useApp().wallets.connected.value;
  if (!wallet) return null;
  if (contract && wallet.chainId !== contract.chainId) return <ChainNotice wallet={wallet} contract={contract} />;
  // The tickets and the ether of a trade that is in a block have changed hands already.
  const obstacle =
    isBusy || holdings === undefined || bound === undefined
      ? undefined
      : side === 'sell' && holdings.tickets < tickets
        ? words.noTickets
        : side === 'buy' && holdings.balance < bound
          ? words.problems.tooPoor(holdings.balance, bound)
          : undefined;
  return (
    <div class="ask-wallet">
      <button
        type="button"
        class="button main"
        aria-disabled={isBusy || obstacle !== undefined || bound === undefined}
        onClick={isBusy || obstacle !== undefined ? undefined : start}
      >
        {isBusy ? words.busy : words.go[side](counted(tickets, texts.agent.curve.ticket))}
      </button>
      <p class="note muted">
        <Words of={obstacle ?? words.goNote} />
      </p>
    </div>
  );
}

type FiguresProps = {
  readonly holdings: Holdings | undefined;
  readonly supply: number | undefined;
  readonly contract: Contract | undefined;
};

/** Ether and tickets of the connected wallet. */
function WalletFigures({ holdings, supply, contract }: FiguresProps) {
  if (!useApp().wallets.connected.value) return null;
  const value =
    holdings && contract && supply !== undefined ? payoutOf(supply, holdings.tickets, splitOf(contract)) : undefined;
  const rows = [
    [words.wallet.balance, holdings && <Amount wei={holdings.balance} />],
    [words.wallet.tickets, holdings?.tickets],
    [words.wallet.value, value !== undefined && <Amount wei={value} />],
  ] as const;
  return (
    <dl class="breakdown num wallet-figures">
      {rows.map(([name, shown]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{shown === undefined || shown === false ? '–' : shown}</dd>
        </div>
      ))}
    </dl>
  );
}
