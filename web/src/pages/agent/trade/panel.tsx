import { useMemo, useState } from 'preact/hooks';
import { withBuySlippage, withSellSlippage } from '../../../../src/core/pricing/rules.js';
import { useApp } from '../../app-context.js';
import type { Side } from '../../contract/calls.js';
import { counted, shortHex } from '../../format/number.js';
import { texts } from '../../texts.js';
import { Card } from '../../ui/card.js';
import { Choices } from '../../ui/control/choices.js';
import { Copy } from '../../ui/control/copy.js';
import { TicketSlider } from '../../ui/control/ticket-slider.js';
import { Amount } from '../../ui/figure/amount.js';
import { PriceAfter } from '../../ui/figure/price-after.js';
import { Words } from '../../ui/figure/words.js';
import { Empty } from '../../ui/problem-view.js';
import { Bar } from '../../ui/skeleton.js';
import { contractSteps, type Step } from '../agent/curve.js';
import { ChainNotice } from './chain-notice.js';
import type { Contract, Market } from './queries.js';
import { SlippageField } from './slippage-field.js';
import type { Holdings } from './use-holdings.js';
import type { Trading } from './use-trade.js';

const words = texts.trade;

type Props = {
  readonly agent: Market | undefined;
  readonly supply: number | undefined;
  readonly contract: Contract | undefined;
  readonly isLoading: boolean;
  readonly holdings: Holdings | undefined;
  readonly trading: Trading;
};

/** Card with the choice of the trade, its exact cost or payout, and the button that asks the wallet to sign. */
export function OrderCard({ agent, supply, contract, isLoading, holdings, trading }: Props) {
  const asked = orderIn(useApp().router.location.value.url);
  const [side, setSide] = useState<Side>(asked.side);
  const [wanted, setWanted] = useState(asked.tickets);
  const [slippage, setSlippage] = useState(1);
  const steps = useMemo(() => contractSteps(side, supply, contract), [side, supply, contract]);
  const most = side === 'sell' && holdings ? Math.min(steps.length, holdings.tickets) : steps.length;
  const tickets = Math.min(wanted, Math.max(1, most));
  const step = steps[tickets - 1];
  const bound = step && boundOf(side, step, slippage);
  const start = () => {
    if (!agent || !contract || bound === undefined) return;
    trading.start({ side, agent: agent.id, contract: contract.address, tickets, slippage, bound });
  };
  return (
    <Card
      title={words.order}
      actions={
        <Choices label={texts.agent.curve.side} options={texts.agent.curve.sides} chosen={side} choose={setSide} />
      }
    >
      <div class="curve order">
        <div class="order-fields">
          <TicketSlider tickets={tickets} most={most} choose={setWanted} />
          <SlippageField slippage={slippage} change={setSlippage} />
          <Ask
            side={side}
            tickets={tickets}
            contract={contract}
            holdings={holdings}
            isBusy={trading.isBusy}
            bound={bound}
            start={start}
          />
        </div>
        <div class="quote" aria-busy={isLoading}>
          {!isLoading && !contract ? (
            <Empty>{texts.agent.curve.noChain}</Empty>
          ) : !isLoading && steps.length === 0 ? (
            <Empty>{texts.agent.curve.lastTicket}</Empty>
          ) : (
            <Costs side={side} step={step} bound={bound} address={contract?.address} />
          )}
        </div>
      </div>
    </Card>
  );
}

/** The order that the address of the page asks for, such as ?side=sell&amount=3. */
const orderIn = ({ searchParams }: URL) => ({
  side: searchParams.get('side') === 'sell' ? ('sell' as const) : ('buy' as const),
  tickets: Math.max(1, Math.floor(Number(searchParams.get('amount')) || 1)),
});

function boundOf(side: Side, { total }: Step, slippage: number): bigint {
  const bps = BigInt(Math.round(slippage * 100));
  return side === 'buy' ? withBuySlippage(total, bps) : withSellSlippage(total, bps);
}

type CostsProps = {
  readonly side: Side;
  readonly step: Step | undefined;
  readonly bound: bigint | undefined;
  readonly address: string | undefined;
};

function Costs({ side, step, bound, address }: CostsProps) {
  const { price, protocolFee, agentFee, total, after } = texts.agent.curve;
  const rows = [
    [price, step && <Amount wei={step.price} usd="none" />],
    [protocolFee, step && <Amount wei={step.protocolFee} usd="none" />],
    [agentFee, step && <Amount wei={step.agentFee} usd="none" />],
    [total[side], step && <Amount wei={step.total} />],
    [words.bound[side], bound !== undefined && <Amount wei={bound} />],
    [after, step && <PriceAfter {...step} />],
    [
      words.contract,
      address && (
        <Copy text={address} label={words.copyContract}>
          <span class="mono">{shortHex(address)}</span>
        </Copy>
      ),
    ],
  ] as const;
  return (
    <dl class="breakdown num">
      {rows.map(([name, value]) => (
        <div key={name} class={name === total[side] ? 'sum' : undefined}>
          <dt>{name}</dt>
          <dd>{value || <Bar width={10} />}</dd>
        </div>
      ))}
    </dl>
  );
}

type AskProps = {
  readonly side: Side;
  readonly tickets: number;
  readonly bound: bigint | undefined;
  readonly contract: Contract | undefined;
  readonly holdings: Holdings | undefined;
  readonly isBusy: boolean;
  readonly start: () => void;
};

/** The end of the card: the reason why the trade cannot be sent, or the button that asks the wallet to sign. */
function Ask({ side, tickets, bound, contract, holdings, isBusy, start }: AskProps) {
  const { wallets } = useApp();
  const wallet = wallets.connected.value;
  if (!wallet) return <p class="note muted">{words.connectFirst}</p>;
  if (contract && wallet.chainId !== contract.chainId) return <ChainNotice wallet={wallet} contract={contract} />;
  const obstacle =
    holdings === undefined || bound === undefined
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
