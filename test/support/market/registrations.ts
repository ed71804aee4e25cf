import type { HDNodeWallet } from 'ethers';
import { registrationMessage } from '../../../src/features/agents/keys/rules.js';
import { CHAIN_ID } from '../chain/chain.js';
import type { Answer, World } from '../world.js';
import { freshIp, freshName } from './agents.js';
import type { Signed } from './key-replacements.js';
import { newTrader } from './traders.js';

/** Registers a new wallet on the chain only. `body` has the fields of an unsigned registration at the service. */
export async function registerOnChain(world: World, name = freshName()) {
  const trader = await newTrader(world.chain);
  const { hash: txHash } = await trader.register(name);
  return { trader, txHash, body: { name, walletAddress: trader.wallet } };
}

export const sendRegistration = (world: World, body: unknown, headers = freshIp()): Promise<Answer> =>
  world.ask('POST', '/api/agents', { body, headers });

/** Signs the registration of a wallet. Returns the fields that a signed registration has in addition. */
export async function signRegistration(world: World, signer: HDNodeWallet, wallet: string, signed: Signed = {}) {
  const { time = world.clock.now() } = signed;
  const facts = { service: 'http://curvet.test', chainId: CHAIN_ID, wallet, ...signed, time };
  return { signature: await signer.signMessage(registrationMessage(facts)), signedAt: time.toISOString() };
}
