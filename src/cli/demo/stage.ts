import { follow } from '../../core/agents/commands/follow.js';
import { updateProfile } from '../../core/agents/commands/update.js';
import { verify } from '../../core/agents/commands/verify.js';
import { agentIdOf, postTemplate } from '../../core/agents/rules.js';
import { register } from '../../core/desk/commands/register.js';
import { publishPost, react } from '../../core/feed/commands/posts.js';
import { buyQuote, type FeeSplit, sellQuote } from '../../core/pricing/rules.js';
import { recordTrade } from '../../core/trading/commands/record.js';
import type { Deps, DevTools } from '../../deps.js';
import type { AgentKey } from './home.js';
import { avatarUrlOf, type Character, cast } from './plan/cast.js';
import type { Ledger } from './plan/ledger.js';
import type { PlannedEvent } from './plan/planned-event.js';

/** Environment in which the plan is carried out, with the ids that later events need. */
export type Stage = {
  readonly deps: Deps;
  readonly ledger: Ledger;
  readonly split: FeeSplit;
  /** Current time of the clock in `deps`. */
  readonly time: { at: Date };
  readonly publish: DevTools['publish'];
  readonly keys: AgentKey[];
  readonly postIds: Map<number, string>;
  readonly supplies: Map<number, number>;
  readonly codes: Map<number, string>;
  /** Transaction hashes of events that are already on the chain. */
  readonly sent: Map<PlannedEvent, string>;
};

type Scenes = {
  [K in PlannedEvent['kind']]: (stage: Stage, event: Extract<PlannedEvent, { kind: K }>) => Promise<unknown>;
};

const characterOf = (agent: number): Character => cast[agent] as Character;

const actorOf = ({ ledger }: Stage, agent: number) => {
  const { name } = characterOf(agent);
  return { wallet: ledger.wallet(agent), name, agentId: agentIdOf(name) };
};

/** Replaces the rate limits: none applies while the history is built. */
const noLimits = async (): Promise<void> => {};

const scenes: Scenes = {
  async join(stage, event) {
    const { agent } = event;
    const { wallet, name } = actorOf(stage, agent);
    const { description } = characterOf(agent);
    const txHash = stage.sent.get(event);
    const input = { name, walletAddress: wallet, txHash, description, avatarUrl: avatarUrlOf(agent) };
    // A documentation address (RFC 5737) per agent, because agents with the same address cannot refer each other.
    const { apiKey, verificationCode } = await register(stage.deps, input, `198.51.100.${agent}`, noLimits);
    stage.codes.set(agent, verificationCode);
    stage.keys.push({ agent, name, wallet, apiKey });
  },

  profile: (stage, { agent }) => updateProfile(stage.deps, actorOf(stage, agent), { bio: characterOf(agent).bio }),

  async claim(stage, { agent }) {
    const { handle = '', name } = characterOf(agent);
    const verificationCode = stage.codes.get(agent) ?? '';
    const tweetUrl = await stage.publish(handle, postTemplate(name, verificationCode));
    await verify(stage.deps, null, { verificationCode, tweetUrl }, noLimits);
  },

  async refer(stage, { agent }) {
    const { referredBy } = characterOf(agent);
    if (referredBy === undefined) return;
    await updateProfile(stage.deps, actorOf(stage, agent), { referredBy: agentIdOf(referredBy) });
  },

  async trade(stage, event) {
    const { agent, move, thesis } = event;
    // Trades without a thesis are recorded by the index alone.
    if (thesis === null) return;
    const submission = {
      kind: move.side === 'buy' ? ('bought' as const) : ('sold' as const),
      txHash: stage.sent.get(event) ?? '',
      agent: stage.ledger.wallet(move.agent),
      amount: move.amount,
      thesis,
    };
    await recordTrade(stage.deps, actorOf(stage, agent), submission, noLimits);
  },

  follow: (stage, { agent, target }) =>
    follow(
      stage.deps,
      actorOf(stage, agent),
      { targetAddress: stage.ledger.wallet(target), following: true },
      noLimits,
    ),

  async post(stage, { agent, text, post }) {
    stage.postIds.set(post, (await publishPost(stage.deps, actorOf(stage, agent), text)).id);
  },

  like: (stage, event) => reaction(stage, event),
  repost: (stage, event) => reaction(stage, event),
};

function reaction(stage: Stage, { kind, agent, post }: Extract<PlannedEvent, { kind: 'like' | 'repost' }>) {
  const postId = stage.postIds.get(post) ?? '';
  return react(stage.deps, actorOf(stage, agent), { postId, kind, wanted: true }, noLimits);
}

/** Sends the transaction of an event, if it has one. */
export async function sendToChain(stage: Stage, event: PlannedEvent, at: Date): Promise<void> {
  const { ledger, split, supplies, sent } = stage;
  if (event.kind === 'join') {
    const { wallet, name, agentId } = actorOf(stage, event.agent);
    await ledger.fund(event.agent);
    sent.set(event, await ledger.call(event.agent, at, { method: 'registerAgent', args: [name, agentId, wallet] }));
    supplies.set(event.agent, 1);
  } else if (event.kind === 'trade') {
    const { side, agent, amount } = event.move;
    const buys = side === 'buy';
    const supply = supplies.get(agent) ?? 0;
    const { total } = (buys ? buyQuote : sellQuote)(BigInt(supply), BigInt(amount), split);
    const args = [ledger.wallet(agent), amount, total];
    const method = buys ? 'buyTickets' : 'sellTickets';
    sent.set(event, await ledger.call(event.agent, at, { method, args, value: buys ? total : 0n }));
    supplies.set(agent, supply + (buys ? amount : -amount));
  }
}

/** Carries out an event in the service, with the clock set to its time. */
export async function performInService(stage: Stage, event: PlannedEvent, at: Date): Promise<void> {
  stage.time.at = at;
  const scene = scenes[event.kind] as (stage: Stage, event: PlannedEvent) => Promise<unknown>;
  await scene(stage, event);
}
