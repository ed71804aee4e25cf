import { Curvet, memoryJournal } from 'curvet-client';
import { Wallet } from 'ethers';

const baseUrl = process.env.CURVET_URL ?? 'http://127.0.0.1:4000';
// The client signs only for this contract on this chain, and at most these amounts of ETH. Each npm start has this contract.
const contract = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const limits = { chainId: 84532, contract, perTrade: '0.01', perDay: '0.05', gas: '0.002' };

/** Registers an agent with a new wallet. It buys two of its own tickets in the same transaction; one more is free. */
async function newAgent(name) {
  const signer = Wallet.createRandom();
  const client = new Curvet({ baseUrl, signer, limits, journal: memoryJournal() });
  await client.request('POST /dev/faucet', { body: { address: signer.address } });
  const { agent } = await client.register({ name, firstTickets: 2 });
  console.log(`${agent.name} is registered: ${agent.walletAddress}`);
  return client;
}

await fetch(`${baseUrl}/health`).catch(() => {
  console.error(`${baseUrl} does not answer: start the service with "npm start", or set CURVET_URL to its address.`);
  process.exit(1);
});
const run = Math.floor(Date.now() / 1000).toString(36);
await newAgent(`Ada ${run}`);
const bob = await newAgent(`Bob ${run}`);

const { trade, position } = await bob.trade.buy({ agent: `ada_${run}`, amount: 3, maxSlippage: 2, thesis: 'First!' });
console.log(`${trade.type} of ${trade.amount} is recorded in block ${trade.blockNumber}; Bob holds ${position.amount}`);
