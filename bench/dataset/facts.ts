import { createHash } from 'node:crypto';
import type { Registered, Traded } from '../../src/chain/logs/facts.js';
import { buyQuote, sellQuote } from '../../src/values/curve.js';
import { seeded } from '../support/random.js';
import { ageRank, nameOf, walletOf } from './people.js';
import { nextStep, type Plan, type Size } from './plan.js';
import type { Calendar } from './time.js';

// Turns the plan of all trades (plan.ts) into chain facts in the order of the chain, as the indexer would have read them.

export const FEES = { protocolBps: 500n, agentBps: 500n };

export const blockHash = (block: number): string => `0x${block.toString(16).padStart(64, 'b')}`;
const hashOf = (text: string): string => `0x${createHash('sha256').update(text).digest('hex')}`;

export function registrations({ agents }: Size, at: Calendar): Registered[] {
  const byRank: number[] = [];
  for (let agent = 0; agent < agents; agent++) byRank[ageRank(agent, agents)] = agent;
  return byRank.map((agent, rank) => {
    const { block, logIndex, time } = at.registration(rank);
    const name = nameOf(agent);
    return {
      kind: 'registered',
      agent: walletOf(agent),
      name,
      agentId: name.toLowerCase().replaceAll(' ', '_'),
      blockNumber: block,
      blockHash: blockHash(block),
      logIndex,
      txHash: hashOf(`registration ${agent}`),
      ordinal: 0,
      time,
    };
  });
}

export function* trades({ agents }: Size, plan: Plan, at: Calendar, random = seeded(88)): Generator<Traded> {
  const wallets = Array.from({ length: plan.wallets }, (_, number) => walletOf(number));
  const balances = new Int32Array(plan.pairAgent.length);
  const supplies = new Int32Array(agents).fill(1);
  for (const [i, pair] of plan.order.entries()) {
    const agent = plan.pairAgent[pair] as number;
    const step = nextStep(balances[pair] as number, pair < plan.firstClosed, random);
    const before = supplies[agent] as number;
    const [bought, amount] = [step > 0, Math.abs(step)];
    const { price, protocolFee, agentFee } = (bought ? buyQuote : sellQuote)(BigInt(before), BigInt(amount), FEES);
    balances[pair] = (balances[pair] as number) + step;
    supplies[agent] = before + step;
    const { block, logIndex, time } = at.trade(i);
    yield {
      kind: bought ? 'bought' : 'sold',
      trader: wallets[plan.pairTrader[pair] as number] as string,
      agent: wallets[agent] as string,
      amount,
      price,
      protocolFee,
      agentFee,
      supply: before + step,
      blockNumber: block,
      blockHash: blockHash(block),
      logIndex,
      txHash: hashOf(`trade ${i}`),
      ordinal: 0,
      time,
    };
  }
}
