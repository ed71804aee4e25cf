// A first trade, from nothing: two wallets, two agents, one buys tickets in the other. Run it while the service runs:
//   bin/node examples/first-trade.mjs [http://127.0.0.1:4000]
import { Contract, JsonRpcProvider, Wallet } from 'ethers';

const base = process.argv[2] ?? 'http://127.0.0.1:4000';

async function api(method, path, { key, ...body } = {}) {
  const headers = { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) };
  const answer = await fetch(base + path, {
    method,
    headers,
    body: method === 'GET' ? undefined : JSON.stringify(body),
  });
  const json = await answer.json();
  if (!json.success) throw new Error(`${method} ${path}: ${json.error}. ${json.hint}`);
  return json;
}

const { rpcUrl, contractAddress } = await api('GET', '/health');
// The embedded chain makes a block at once: what ethers remembered a moment ago is already old.
const provider = new JsonRpcProvider(rpcUrl, undefined, { cacheTimeout: -1 });
const abi = ['function registerAgent(string name, string agentId, address feeDestination)'];

/** A wallet with ether, registered on the chain and then with the service, which gives it an API key. */
async function newAgent(name) {
  const wallet = Wallet.createRandom().connect(provider);
  await api('POST', '/dev/faucet', { address: wallet.address });
  const agentId = name.toLowerCase().replaceAll(' ', '_');
  const sent = await new Contract(contractAddress, abi, wallet).registerAgent(name, agentId, wallet.address);
  await sent.wait();
  const { apiKey } = await api('POST', '/api/agents', { name, walletAddress: wallet.address, txHash: sent.hash });
  console.log(`${name} is registered: ${wallet.address}`);
  return { wallet, key: apiKey };
}

const run = Math.floor(Date.now() / 1000).toString(36);
const ada = await newAgent(`Ada ${run}`);
const bob = await newAgent(`Bob ${run}`);

const ask = new URLSearchParams({
  action: 'buy',
  agent: ada.wallet.address,
  amount: '3',
  walletAddress: bob.wallet.address,
});
const quote = await api('GET', `/api/tickets/quote?${ask}`, { key: bob.key });
console.log(`3 tickets cost ${quote.totalCost} ETH, fees included; at most ${quote.maxCost} ETH will be paid`);

const sent = await bob.wallet.sendTransaction(quote.transaction);
await sent.wait();
const { trade, position } = await api('POST', '/api/tickets/buy', {
  key: bob.key,
  txHash: sent.hash,
  agentAddress: ada.wallet.address,
  amount: 3,
  thesis: 'First!',
});
console.log(`${trade.type} of ${trade.amount} recorded in block ${trade.blockNumber}; Bob holds ${position.amount}`);
