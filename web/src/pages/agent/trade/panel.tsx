import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { MAX_SLIPPAGE_PERCENT } from '../../../../../src/values/curve.js';
import { useApp } from '../../../app-context.js';
import { payoutOf, splitOf } from '../../../contract/fees.js';
import { etherText, usdText } from '../../../format/ether.js';
import { counted } from '../../../format/number.js';
import type { Sentence } from '../../../format/sentence.js';
import { texts } from '../../../texts.js';
import { Amount } from '../../../ui/figure/amount.js';
import { Words } from '../../../ui/figure/words.js';
import { Empty } from '../../../ui/problem-view.js';
import { ChainNotice } from '../../../ui/wallet/chain-notice.js';
import { ConnectPanel } from '../../../ui/wallet/connect-panel.js';
import { type Choice, type Side, type Step, stepAt } from '../curve.js';
import type { Agent, Contract, Figures } from '../queries.js';
import { TradeBar } from './bar.js';
import { Breakdown } from './breakdown.js';
import {
  affordable,
  amountFault,
  amountOf,
  boundOf,
  type Holdings,
  isTooMuch,
  obstacleOf,
  slippageIn,
  warningsOf,
} from './order.js';
import { Progress } from './progress.js';
import { SlippageField } from './slippage-field.js';
import { TicketsField } from './tickets-field.js';
import { useHoldings } from './use-holdings.js';
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
  /** Replaces the shown figures of the agent by newer ones. */
  readonly show: (figures: Partial<Figures>) => void;
  /** Reads the data of the page again. */
  readonly reload: () => void;
};

/**
 * The form that buys or sells tickets of the agent with a wallet of the browser: amount, slippage, wallet, and the trade itself.
 * Quote and trade always follow the fields. The button is off while a field has no valid value.
 */
export function TradePanel({ agent, figures, contract, isLoading, choice, choose, steps, ...page }: PanelProps) {
  const { side } = choice;
  const ethUsd = useApp().ethUsd.value;
  const [slippageText, setSlippage] = useState('1');
  const trading = useTrade(page);
  const holdings = useHoldings(agent?.id, contract);
  const slippage = slippageIn(slippageText);
  const step = stepAt(steps, choice, ethUsd);
  const bound = step && slippage !== undefined ? boundOf(side, step, slippage) : undefined;
  const faults = {
    amount: step || steps.length === 0 ? undefined : amountFault(steps, choice, ethUsd),
    slippage: slippage === undefined ? words.slippage.wrong(String(MAX_SLIPPAGE_PERCENT)) : undefined,
  };
  const start = () => {
    if (!agent || !contract || !step || slippage === undefined || bound === undefined) return;
    trading.start({ side, agent: agent.id, contract: contract.address, tickets: step.tickets, slippage, bound });
  };
  const obstacle = step && bound !== undefined ? obstacleOf(side, step.tickets, bound, holdings) : undefined;
  const isDone = trading.state?.progress.step === 'done';
  // The result of the last trade replaces the form until the user asks for another trade. It does so only for its side: after a
  // purchase, `sell` still shows its form.
  const isResult = isDone && trading.state?.order.side === side;
  return (
    <>
      {!isResult && (
        <>
          <AmountField {...{ choice, choose, steps, step, holdings, slippage }} fault={faults.amount} />
          <SlippageField text={slippageText} fault={faults.slippage} write={setSlippage} />
          <Costs {...{ side, step, bound, contract, isLoading }} isOpen={isLoading || steps.length > 0} />
          {!obstacle && <Warnings {...{ side, step, slippage }} />}
        </>
      )}
      {trading.state && (isResult || !isDone) && <Progress state={trading.state} figures={figures} holdings={holdings} />}
      {(isLoading || steps.length > 0 || isResult) && (
        <Ask
          {...{ side, contract, start }}
          again={isResult ? trading.forget : undefined}
          tickets={bound === undefined ? undefined : step?.tickets}
          fault={faults.amount ?? faults.slippage ?? obstacle}
          isBusy={trading.isBusy}
        />
      )}
      <ConnectPanel />
      <WalletFigures
        holdings={holdings}
        // During a trade, the tickets come from the chain and the supply from the service. They may not match, so no value is
        // shown.
        supply={trading.isBusy ? undefined : figures?.totalSupply}
        contract={contract}
      />
      <TradeBar price={figures?.ticketPrice} choose={(to) => choose({ ...choice, side: to })} />
    </>
  );
}

type AmountProps = Pick<PanelProps, 'choice' | 'choose' | 'steps'> & {
  readonly step: Step | undefined;
  readonly holdings: Holdings | undefined;
  readonly slippage: number | undefined;
  /** Why no trade can have this amount. undefined if a trade can have it. */
  readonly fault: string | undefined;
};

/** The field for the amount, with a slider, a button that fills it, and a note that says what may be entered. */
function AmountField({ choice, choose, steps, step, holdings, slippage, fault }: AmountProps) {
  const ethUsd = useApp().ethUsd.value;
  const { side, amount, unit } = choice;
  const fill = fillOf(side, steps, holdings, slippage);
  return (
    <TicketsField
      {...{ amount, unit, fill, ethUsd }}
      tickets={step?.tickets}
      place={step?.tickets ?? (isTooMuch(steps, choice, ethUsd) ? steps.length : 1)}
      most={steps.length}
      write={(next) => choose({ ...choice, amount: next })}
      slide={(tickets) => choose({ side, unit: 'tickets', amount: String(tickets) })}
      setUnit={(to) => choose({ side, unit: to, amount: step ? amountOf(steps, step, side, to, ethUsd) : '' })}
      note={fault ?? noteOf(choice, step, ethUsd) ?? (steps.length > 0 ? fill.limit : '')}
    />
  );
}

type CostsProps = Parameters<typeof Breakdown>[0] & {
  /** Whether any trade of this side is possible. */
  readonly isOpen: boolean;
};

/** What the trade costs or returns, or why it is not possible. */
function Costs({ isOpen, ...props }: CostsProps) {
  if (!props.isLoading && !props.contract) return <Empty>{texts.agent.curve.noChain}</Empty>;
  return isOpen ? <Breakdown {...props} /> : <Empty>{texts.agent.curve.lastTicket}</Empty>;
}

/** Says how many tickets an amount of ether or dollars stands for. */
function noteOf({ side, unit }: Choice, step: Step | undefined, ethUsd: number | undefined): string | undefined {
  if (!step || unit === 'tickets') return undefined;
  const usd = unit === 'usd' && ethUsd ? ` (${usdText(step.total, ethUsd)})` : '';
  return words.amount.means[side](counted(step.tickets, TICKET), etherText(step.total) + usd);
}

type WarningsProps = { readonly side: Side; readonly step: Step | undefined; readonly slippage: number | undefined };

function Warnings({ side, step, slippage }: WarningsProps) {
  if (!step || slippage === undefined) return null;
  return warningsOf(side, step, slippage).map((warning) => (
    <p key={warning} class="note warn">
      {warning}
    </p>
  ));
}

/** The text of the button beside the field, the number of tickets that it fills in, and the limit that this number follows from. */
function fillOf(side: Side, steps: readonly Step[], holdings: Holdings | undefined, slippage: number | undefined) {
  const most = steps.length;
  const limit = words.amount.most(most);
  if (!holdings) return { text: words.most, tickets: most, limit };
  if (side === 'sell' && holdings.tickets <= most) {
    return { text: words.sellAll, tickets: Math.max(1, holdings.tickets), limit: words.amount.holds(holdings.tickets) };
  }
  const can = side === 'buy' && slippage !== undefined ? affordable(steps, slippage, holdings) : most;
  // If the wallet can trade no ticket, the button fills in one, so that the page shows its cost and why the wallet cannot trade
  // it.
  return { text: words.most, tickets: Math.max(1, can), limit: can < most ? words.amount.pays(most, can) : limit };
}

type AskProps = {
  readonly side: Side;
  /** Number of tickets to trade. undefined while the fields have no valid values. */
  readonly tickets: number | undefined;
  /** Why the trade cannot be sent. */
  readonly fault: Sentence | undefined;
  readonly contract: Contract | undefined;
  readonly isBusy: boolean;
  readonly start: () => void;
  /** Removes the result of the last trade, so that the form appears again. undefined if no result is shown. */
  readonly again: (() => void) | undefined;
};

/**
 * The button that asks the wallet to sign, and why it is off. If the result of a trade is shown, a button that leads back to the
 * form. Without a wallet, nothing.
 */
function Ask({ side, tickets, fault, contract, isBusy, start, again }: AskProps) {
  const wallet = useApp().wallets.connected.value;
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  // After the result, the focus moves from this button to the field of the next trade, so that a second press trades nothing.
  const wasResult = useRef(false);
  useEffect(() => {
    if (wasResult.current && !again && document.activeElement === button.current) document.getElementById('amount')?.focus();
    wasResult.current = again !== undefined;
  });
  if (again) {
    return (
      <div class="ask-wallet">
        <button ref={button} type="button" class="button" onClick={again}>
          {words.again}
        </button>
      </div>
    );
  }
  if (!wallet) return null;
  if (contract && wallet.chainId !== contract.chainId) return <ChainNotice wallet={wallet} contract={contract} />;
  // During a trade no fault is shown: once it is in a block, the wallet may have less than the fields ask for.
  const reason = isBusy ? undefined : fault;
  const isOff = isBusy || reason !== undefined || tickets === undefined;
  const text = tickets === undefined ? texts.agent.curve.sides[side] : words.go[side](counted(tickets, TICKET));
  return (
    <div class="ask-wallet">
      <button
        ref={button}
        type="button"
        class="button main"
        aria-disabled={isOff}
        aria-describedby={id}
        onClick={isOff ? undefined : start}
      >
        {isBusy ? words.busy : text}
      </button>
      <p class={`note ${reason ? 'fault' : 'muted'}`} id={id}>
        <Words of={reason ?? (wallet.testKey === undefined ? words.goNote : words.goTest)} />
      </p>
    </div>
  );
}

const TICKET = texts.agent.curve.ticket;

type FiguresProps = {
  readonly holdings: Holdings | undefined;
  readonly supply: number | undefined;
  readonly contract: Contract | undefined;
};

/** Shows the ether and the tickets of the connected wallet, and what selling these tickets would pay. */
function WalletFigures({ holdings, supply, contract }: FiguresProps) {
  if (!useApp().wallets.connected.value) return null;
  const value = holdings && contract && supply !== undefined ? payoutOf(supply, holdings.tickets, splitOf(contract)) : undefined;
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
