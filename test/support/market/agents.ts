import { RpcProvider } from '../../../src/chain/rpc.js';
import { CHAIN_ID, type TestChain } from '../chain/chain.js';
import { testTimes } from '../times.js';
import { type Answer, ask, type World } from '../world.js';
import { newTrader, type Trader } from './traders.js';

/** An agent that is registered on the chain and at the service. */
export type TestAgent = {
  readonly trader: Trader;
  readonly wallet: string;
  readonly name: string;
  readonly agentId: string;
  readonly key: string;
  readonly code: string;
};

let counted = 0;
const next = (): number => ++counted;

/** Returns an unused IP address as an X-Forwarded-For header. The service regards it only in a world with TRUST_PROXY=1. */
export function freshIp(): { 'x-forwarded-for': string } {
  const n = next();
  return { 'x-forwarded-for': `198.51.${n >> 8}.${n & 255}` };
}

/** Returns an unused agent name. */
export const freshName = (): string => `Tester ${next()}`;

/**
 * Registers a new wallet on the chain and over REST from an unused IP address. Moves the clock by a millisecond before, so that
 * lists by time have one order. The world needs TRUST_PROXY=1 or RATE_LIMITS=off, because the rate limit refuses the sixth
 * registration of an address. `given` overrides fields of the request.
 */
export async function newAgent(
  world: World,
  { trader, ...given }: { readonly trader?: Trader; readonly [field: string]: unknown } = {},
): Promise<TestAgent> {
  world.clock.advance(1);
  const name = String(given.name ?? freshName());
  const owner = trader ?? (await newTrader(world.chain));
  await owner.register(name);
  const body = { name, walletAddress: owner.wallet, ...given };
  const { agent, verificationCode } = success(await world.ask('POST', '/api/agents', { body, headers: freshIp() }));
  const { agentId = '', apiKey: key = '' } = agent as Record<string, string>;
  return { trader: owner, wallet: owner.wallet, name, agentId, key, code: String(verificationCode) };
}

/** An agent of a service that runs in another process. */
export type Joined = { readonly trader: Trader; readonly wallet: string; readonly key: string; readonly code: string };

/** Registers a new wallet on the chain and at the service with this URL. */
export async function join(
  chain: Pick<TestChain, 'provider' | 'contract'>,
  url: string,
  name: string,
  headers: Record<string, string> = {},
): Promise<Joined> {
  const trader = await newTrader(chain);
  await trader.register(name);
  const { wallet } = trader;
  const answer = await ask(url, 'POST', '/api/agents', { body: { name, walletAddress: wallet }, headers });
  const { apiKey, verificationCode } = success(answer);
  return { trader, wallet, key: String(apiKey), code: String(verificationCode) };
}

/** Registers a new wallet on the chain of a service, and then at the service. */
export async function joinService(
  { url, rpcUrl }: { readonly url: string; readonly rpcUrl: string },
  name: string,
): Promise<Joined> {
  const provider = new RpcProvider([rpcUrl], CHAIN_ID, testTimes);
  const { contractAddress } = success(await ask(url, 'GET', '/health'));
  try {
    return await join({ provider, contract: String(contractAddress) }, url, name);
  } finally {
    provider.destroy();
  }
}

/** Claims the agent with a post on the embedded post host. Returns the URL of the post. */
export async function claim(world: World, { code }: { readonly code: string }, handle = 'owner', key?: string) {
  if (!world.deps.dev) throw new Error('this world has no embedded post host');
  const tweetUrl = await world.deps.dev.publish(handle, `My code is ${code}`);
  const body = { verificationCode: code, tweetUrl };
  success(await world.ask('POST', '/api/agents/verify', { body, headers: freshIp(), key }));
  return tweetUrl;
}

type Holder = { readonly key: string };
type Wallet = { readonly wallet: string };

/** Asks as an agent, from an unused IP address. Returns the body of the answer, and throws if the request failed. */
export const askAs = async (world: World, { key }: Holder, method: string, path: string, body?: unknown) =>
  success(await world.ask(method, path, { key, headers: freshIp(), body }));

export const follow = (world: World, who: Holder, { wallet }: Wallet) =>
  askAs(world, who, 'POST', '/api/agents/follow', { targetAddress: wallet, following: true });

/** Writes a post, and returns its id. */
export async function writePost(world: World, who: Holder, text: string): Promise<string> {
  const { post } = await askAs(world, who, 'POST', '/api/feed', { text });
  return (post as { id: string }).id;
}

/** Trades on the chain only. Returns the fields with which the service can record the trade. */
export async function tradeOnChain({ trader }: TestAgent, side: 'buy' | 'sell', { wallet }: Wallet, amount: number) {
  const { hash } = await trader[side](wallet, amount);
  return { txHash: hash, agentAddress: wallet, amount };
}

/** Returns the body of an answer, and throws if the request failed. */
export function success({ status, body }: Answer): Record<string, unknown> {
  if (status >= 300) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Describes an answer as status and error on one line, for example `404 Agent not found`. */
export const refusal = ({ status, body }: Answer): string => `${status} ${body.error}`;
