import { buyQuote } from '../../../../src/values/curve.js';
import { payoutOf, splitOf } from '../../contract/fees.js';
import type { Portfolio, Position } from './positions.js';
import { portfolioTexts } from './texts.js';
import { Positions, Totals } from './wallet-view.js';

const words = portfolioTexts.sample;
/** Fee rates of 5 % each, like those of the contract on the embedded chain. */
const SPLIT = splitOf({ protocolFeeBps: 500, agentFeeBps: 500 });
const REALIZED = 1_460_000_000_000_000n;

/** A made-up position: bought when the supply was `boughtAt`, and valued at the supply `supply`. */
function position(name: string, address: string, tickets: number, boughtAt: number, supply: number): Position {
  return {
    address,
    tickets,
    agent: { id: address, agentId: address, name, isClaimed: false, totalSupply: supply },
    cost: buyQuote(BigInt(boughtAt), BigInt(tickets), SPLIT).total,
    value: payoutOf(supply, tickets, SPLIT),
  };
}

function samplePortfolio(): Portfolio {
  const [first, second, third] = words.agents;
  const positions = [
    position(first, '0x4b1d07e2c95a38f6d0472be91c6fa8305d7e1b94', 4, 12, 24),
    position(second, '0xa2f85c3e6190bd74e82f5a0c97d3164be8f2705a', 3, 9, 14),
    position(third, '0x93e06b1f7ad25c48e1b390fd64c72a8e05f9d316', 2, 19, 16),
  ];
  const sum = (amounts: readonly (bigint | undefined)[]) => amounts.reduce<bigint>((total, one = 0n) => total + one, 0n);
  const [value, cost] = [sum(positions.map((one) => one.value)), sum(positions.map((one) => one.cost))];
  return { owner: undefined, trades: [], positions, value, cost, realized: REALIZED, unrealized: value - cost };
}

const sample = samplePortfolio();

/**
 * Shows readers without a wallet what a portfolio looks like. Its figures follow the curve like real ones. It is inert: the
 * keyboard does not reach its links, and screen readers get the sentence above it instead of made-up figures.
 */
export function Sample() {
  return (
    <section class="card sample" aria-label={words.title}>
      <header>
        <h2>{words.title}</h2>
        <span class="chip warn">{words.mark}</span>
      </header>
      <p class="body">
        {words.lead} <span class="muted">{words.madeUp}</span>
      </p>
      <div inert>
        <Totals portfolio={sample} />
        <Positions portfolio={sample} />
      </div>
    </section>
  );
}
