import { setTimeout as sleep } from 'node:timers/promises';
import { callData } from '../../../../src/chain/contract-interface.js';
import { CHAIN_ID, type TestChain } from '../../../support/chain/chain.js';
import { join } from '../../../support/market/agents.js';
import type { Trader } from '../../../support/market/traders.js';
import { seeded } from '../../../support/seed.js';
import { rpc } from '../../../support/service/process.js';

/** A trade that is on the chain, with the API key of its trader and the body that submits it. */
export type MinedTrade = {
  readonly side: 'buy' | 'sell';
  readonly key: string;
  readonly wallet: string;
  readonly body: { readonly txHash: string; readonly agentAddress: string; readonly amount: number };
};

type Member = { readonly trader: Trader; readonly key: string; nonce: number };

const ETHER = 10n ** 18n;
/** More gas and a higher fee than any trade needs, so that every transaction is mined. */
const GAS = { gasLimit: 400_000n, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 0n } as const;

/**
 * Agents that trade with each other in large numbers, many trades in each block. The class counts their nonces itself, so that it
 * can send many transactions before a block is mined.
 */
export class TradeMill {
  /** The tickets that a member has bought of an agent and not sold. The key is both wallets, with a space between them. */
  readonly #tickets = new Map<string, number>();
  readonly #random: () => number;

  private constructor(
    private readonly chain: TestChain,
    private readonly members: readonly Member[],
    seed: number,
  ) {
    this.#random = seeded(seed);
  }

  /** Registers agents on the chain and at the service. */
  static async open(chain: TestChain, url: string, size: number, seed: number): Promise<TradeMill> {
    const members: Member[] = [];
    for (let i = 0; i < size; i++) {
      const { trader, key } = await join(chain, url, `M ${seed % 1000} ${i}`);
      await chain.provider.send('anvil_setBalance', [trader.wallet, `0x${(10n ** 9n * ETHER).toString(16)}`]);
      members.push({ trader, key, nonce: await trader.signer.getNonce() });
    }
    return new TradeMill(chain, members, seed);
  }

  /** Mines one block with this number of trades. */
  async mine(count: number): Promise<MinedTrade[]> {
    const { provider, rpcUrl } = this.chain;
    await provider.send('evm_setAutomine', [false]);
    const trades: MinedTrade[] = [];
    for (let i = 0; i < count; i++) {
      const { trade, raw } = await this.#sign();
      const txHash = String(await rpc(rpcUrl, 'eth_sendRawTransaction', raw));
      trades.push({ ...trade, body: { ...trade.body, txHash } });
    }
    await provider.send('anvil_mine', ['0x1']);
    await provider.send('evm_setAutomine', [true]);
    return trades;
  }

  async #sign(): Promise<{ trade: MinedTrade; raw: string }> {
    const [member, of] = [this.#pick(), this.#pick()];
    const agentAddress = of.trader.wallet;
    const pair = `${member.trader.wallet} ${agentAddress}`;
    const held = this.#tickets.get(pair) ?? 0;
    const side = held > 0 && this.#random() < 0.55 ? ('sell' as const) : ('buy' as const);
    const amount = 1 + Math.floor(this.#random() * (side === 'sell' ? Math.min(held, 5) : 5));
    this.#tickets.set(pair, held + (side === 'sell' ? -amount : amount));
    const raw = await member.trader.signer.signTransaction({
      ...GAS,
      type: 2,
      chainId: CHAIN_ID,
      nonce: member.nonce++,
      to: this.chain.contract,
      ...(side === 'sell'
        ? { data: callData('sellTickets', [agentAddress, amount, 1n]) }
        : { data: callData('buyTickets', [agentAddress, amount, 1000n * ETHER]), value: 1000n * ETHER }),
    });
    const body = { txHash: '', agentAddress, amount };
    return { trade: { side, key: member.key, wallet: member.trader.wallet, body }, raw };
  }

  #pick(): Member {
    return this.members[Math.floor(this.#random() * this.members.length)] as Member;
  }
}

/**
 * `statuses` counts final answers by status, `retries` the attempts without one. `refused` has the texts of unexpected refusals.
 */
export type Outcomes = { readonly statuses: Map<number, number>; readonly refused: string[]; retries: number };

/**
 * Submits a trade until the service answers that it is recorded, as a client does whose connection breaks. 409 after a lost
 * answer means that an earlier attempt was recorded.
 */
export async function submit(url: string, trade: MinedTrade, outcomes: Outcomes): Promise<void> {
  // 600 attempts take a minute or more, longer than a restart of the service.
  for (let attempt = 0; attempt < 600; attempt++) {
    const status = await fetch(`${url}/api/tickets/${trade.side}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': trade.key },
      body: JSON.stringify(trade.body),
      signal: AbortSignal.timeout(20_000),
    }).then(
      async (response) => {
        const text = await response.text();
        if (response.status >= 400 && response.status < 500 && response.status !== 409) outcomes.refused.push(text);
        return response.status;
      },
      () => 0,
    );
    if (status !== 0 && status < 500) {
      outcomes.statuses.set(status, (outcomes.statuses.get(status) ?? 0) + 1);
      // A first attempt must not be answered with 409, because no earlier attempt can have recorded the trade.
      if (status === 409 && attempt === 0) outcomes.refused.push('409 to a first attempt');
      return;
    }
    outcomes.retries++;
    await sleep(100);
  }
  throw new Error(`the trade ${trade.body.txHash} was never recorded`);
}
