import type { HDNodeWallet } from 'ethers';
import { keyReplacementMessage } from '../../../src/features/agents/keys/rules.js';
import { CHAIN_ID } from '../chain/chain.js';
import { drawUuid } from '../seed.js';
import type { Answer, World } from '../world.js';
import { freshIp, success, type TestAgent } from './agents.js';

/** Values for the signed text in place of those of the world, for example to make a signature that the service must refuse. */
export type Signed = {
  readonly time?: Date;
  readonly nonce?: string;
  readonly service?: string;
  readonly chainId?: number;
  readonly wallet?: string;
};

/** Makes the request body that replaces the API key of a wallet's agent, with a signature of `signer`. */
export async function signReplacement(world: World, signer: HDNodeWallet, wallet: string, signed: Signed = {}) {
  const { time = world.clock.now(), nonce = drawUuid() } = signed;
  const facts = { service: 'http://curvet.test', chainId: CHAIN_ID, wallet, ...signed, time, nonce };
  const signature = await signer.signMessage(keyReplacementMessage(facts));
  return { walletAddress: wallet, signature, signedAt: time.toISOString(), nonce };
}

export const sendReplacement = (world: World, body: unknown): Promise<Answer> =>
  world.ask('POST', '/api/agents/key', { body, headers: freshIp() });

/** Replaces the API key of an agent, and returns the new key. */
export async function replaceKey(world: World, { trader, wallet }: Pick<TestAgent, 'trader' | 'wallet'>) {
  return String(success(await sendReplacement(world, await signReplacement(world, trader.signer, wallet))).apiKey);
}
