import { Transaction, toBeHex } from 'ethers';
import type { Logger } from 'pino';
import { callData } from '../../chain/contract-interface.js';
import type { Call } from '../../chain/rpc.js';
import type { Config } from '../../config.js';
import { assembleDeps, type Chain, type Deps } from '../../deps.js';
import { agentIdOf, postTemplate } from '../../features/agents/rules.js';
import { updateProfile } from '../../features/agents/update.js';
import { verify } from '../../features/claims/claim.js';
import { publishPost, react } from '../../features/feed/posts.js';
import { follow } from '../../features/follows/follow.js';
import { buyQuote, type FeeSplit, sellQuote } from '../../features/pricing/rules.js';
import { register } from '../../features/registration/register.js';
import { recordTrade } from '../../features/trading/record.js';
import { ensureCursor } from '../../index/cursor.js';
import { embeddedPostHost } from '../../posthost/embedded.js';
import { startChain } from '../../service/chain.js';
import { startDatabase } from '../../service/database.js';
import type { Stops } from '../../service/stops.js';
import { carryOut } from '../../use-case.js';
import { type Character, cast } from './cast.js';
import { type AgentKey, walletOf } from './home.js';
import type { PlannedEvent } from './plan.js';

const FUNDS = 5n * 10n ** 18n;
/** Gas of every transaction. The limit is more than any call of the demo needs. */
const GAS = { gasLimit: 300_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };

/** Avatar URL that passes the rules. The host is in a reserved domain (RFC 2606) and does not exist. */
export const avatarUrlOf = (name: string): string => `https://avatars.curvet.example/${agentIdOf(name)}.svg`;

/** Replaces the rate limits: none applies while the history is built. */
const noLimits = async (): Promise<void> => {};

const playerOf = ({ name }: Character, index: number) => {
  const signer = walletOf(index);
  const wallet = signer.address.toLowerCase();
  return { index, signer, wallet, name, agentId: agentIdOf(name), keyHash: '', nonce: 0, verificationCode: '' };
};
type Player = ReturnType<typeof playerOf>;

/** Carries out the plan, with a clock that is set to the time of each event. */
export class Stage {
  readonly keys: AgentKey[] = [];
  readonly #players = new Map(cast.map((character, index) => [character, playerOf(character, index)]));
  readonly #hashes = new Map<PlannedEvent, string>();
  readonly #postIds: string[] = [];
  #lastBlock = 0;

  private constructor(
    readonly deps: Deps,
    readonly chain: Chain,
    readonly split: FeeSplit,
    readonly time: { at: Date },
  ) {}

  /** Starts the dependencies that the commands need. */
  static async open(config: Config, log: Logger, start: Date, stops: Stops): Promise<Stage> {
    const { orm } = await startDatabase(config, stops);
    const chain = await startChain(config, stops, { startAt: start });
    const time = { at: start };
    const clock = { now: () => time.at };
    // No other process takes part in the build, so it needs no Redis.
    const deps = await assembleDeps({ ...config, REDIS_URL: undefined }, log, { orm, chain, clock });
    await ensureCursor(deps, async () => 1);
    const stage = new Stage(deps, chain, await deps.market.feeSplit(), time);
    await stage.#ask({ method: 'evm_setAutomine', params: [false] });
    stage.#lastBlock = (await chain.provider.getBlock('latest'))?.timestamp ?? 0;
    return stage;
  }

  /** Sends the transaction of an event, if it has one. */
  async sendToChain(event: PlannedEvent, at: Date): Promise<void> {
    const { name, agentId, wallet } = this.#player(event.agent);
    if (event.kind === 'join') {
      await this.#ask({ method: 'anvil_setBalance', params: [wallet, toBeHex(FUNDS)] });
      this.#hashes.set(event, await this.#mine(event.agent, at, callData('registerAgent', [name, agentId, wallet])));
    } else if (event.kind === 'trade') {
      const { side, agent, amount } = event.move;
      const buys = side === 'buy';
      const { total } = (buys ? buyQuote : sellQuote)(BigInt(event.supply), BigInt(amount), this.split);
      const data = callData(buys ? 'buyTickets' : 'sellTickets', [this.#player(agent).wallet, amount, total]);
      this.#hashes.set(event, await this.#mine(event.agent, at, data, buys ? total : 0n));
    }
  }

  /** Carries out an event in the service. */
  async perform(event: PlannedEvent, at: Date): Promise<unknown> {
    this.time.at = at;
    const { deps } = this;
    const { handle = '', description, bio, referredBy = '' } = event.agent;
    const actor = this.#player(event.agent);
    const { index, name, wallet, verificationCode } = actor;
    const ctx = { deps, actor, ip: '', spend: noLimits };
    const txHash = this.#hashes.get(event) ?? '';
    switch (event.kind) {
      case 'join': {
        const profile = { name, walletAddress: wallet, txHash, description, avatarUrl: avatarUrlOf(name) };
        // A documentation address (RFC 5737) per agent, because agents with the same address cannot refer each other.
        const registered = await carryOut(register, { ...ctx, actor: null, ip: `198.51.100.${index}` }, profile);
        actor.verificationCode = registered.verificationCode;
        return this.keys.push({ agent: index, name, wallet, apiKey: registered.apiKey });
      }
      case 'profile':
        return carryOut(updateProfile, ctx, { bio });
      case 'claim': {
        const tweetUrl = await embeddedPostHost(deps).publish(handle, postTemplate(name, verificationCode));
        return carryOut(verify, { ...ctx, actor: null }, { verificationCode, tweetUrl });
      }
      case 'refer':
        return carryOut(updateProfile, ctx, { referredBy: agentIdOf(referredBy) });
      case 'trade': {
        const { move, thesis } = event;
        const kind = move.side === 'buy' ? 'bought' : 'sold';
        const trade = { kind, txHash, agent: this.#player(move.agent).wallet, amount: move.amount } as const;
        // Trades without a thesis are recorded by the index alone.
        return thesis === null ? undefined : carryOut(recordTrade, ctx, { ...trade, thesis });
      }
      case 'follow':
        return carryOut(follow, ctx, { targetAddress: this.#player(event.target).wallet, following: true });
      case 'post':
        this.#postIds[event.post] = (await carryOut(publishPost, ctx, { text: event.text })).post.id;
        return;
      case 'like':
      case 'repost': {
        const postId = this.#postIds[event.post] ?? '';
        return carryOut(react, ctx, { postId, kind: event.kind, wanted: true });
      }
    }
  }

  #player(character: Character): Player {
    return this.#players.get(character) as Player;
  }

  /** Sends a contract call in a block of its own with the given time. Returns the transaction hash. */
  async #mine(agent: Character, at: Date, data: string, value = 0n): Promise<string> {
    const player = this.#player(agent);
    const transaction = Transaction.from({
      ...{ type: 2, chainId: this.deps.config.CHAIN_ID, nonce: player.nonce++, to: this.chain.contract, data, value },
      ...GAS,
    });
    const signed = await player.signer.signTransaction(transaction);
    // Block times must increase by at least one second.
    this.#lastBlock = Math.max(this.#lastBlock + 1, Math.floor(at.getTime() / 1000));
    const hash = await this.#ask({ method: 'eth_sendRawTransaction', params: [signed] });
    await this.#ask({ method: 'evm_mine', params: [{ timestamp: this.#lastBlock }] });
    return String(hash);
  }

  async #ask(call: Call): Promise<unknown> {
    const reply = await this.chain.provider.reply(call);
    if ('error' in reply) throw new Error(`${call.method}: ${reply.error.message}`);
    return reply.result;
  }
}
