import { expect } from 'chai';
import { Contract } from 'ethers';
import { ticketMarketAbi } from '../../../src/chain/abi.js';
import { devAccount } from '../../../src/chain/embedded-chain.js';
import { RpcProvider } from '../../../src/chain/rpc.js';
import { testTimes } from '../times.js';
import { getJson, type Running } from './process.js';

/** Registers a wallet on the chain of a service and over REST. Returns the wallet and its API key. */
export async function registerOver({ url, rpcUrl }: Running, name: string): Promise<{ wallet: string; key: string }> {
  const provider = new RpcProvider([rpcUrl], 84532, testTimes);
  const signer = devAccount(5).connect(provider);
  const { body } = await getJson(`${url}/health`);
  const market = new Contract(String(body.contractAddress), ticketMarketAbi, signer);
  const agentId = name.toLowerCase().replaceAll(' ', '_');
  const sent = await market.getFunction('registerAgent').send(name, agentId, signer.address);
  await sent.wait();
  provider.destroy();
  const response = await fetch(`${url}/api/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, walletAddress: signer.address }),
  });
  const answer = (await response.json()) as { apiKey: string };
  expect(response.status, JSON.stringify(answer)).to.equal(201);
  return { wallet: signer.address.toLowerCase(), key: answer.apiKey };
}
