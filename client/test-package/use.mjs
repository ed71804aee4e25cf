// Runs in an empty project: reads a list, and trades with a wallet of ethers and an account of viem. Both must sign the same.
import { Curvet, memoryJournal } from 'curvet-client';
import { curvetCache } from 'curvet-client/apollo';
import { fileJournal } from 'curvet-client/node';
import { Wallet } from 'ethers';
import { privateKeyToAccount } from 'viem/accounts';

const key = `0x${'11'.repeat(32)}`;
const contract = `0x${'c0'.repeat(20)}`;
const agent = `0x${'a9'.repeat(20)}`;
const wei = 10n ** 15n;
const now = Date.now();
const word = (value) => BigInt(value).toString(16).padStart(64, '0');

/** A service and a chain with fixed answers. */
function fixed(signer, sent) {
  const transaction = {
    to: contract,
    from: signer.address,
    data: `0xccdcbcdf${word(agent)}${word(1)}${word(wei)}${word(Math.floor(now / 1000) + 600)}`,
    value: `0x${wei.toString(16)}`,
    gasLimit: '0x30d40',
  };
  const log = { address: contract, data: `0x${[1, wei, 0, 0, 1, 0].map(word).join('')}` };
  const answers = {
    '/api/contract': { chainId: 84532, contractAddress: contract, rpcUrl: 'http://rpc.test/', overloads: true },
    '/api/tickets/quote': { totalCost: '0.001', transaction },
    '/api/tickets/buy': { trade: { amount: 1 }, position: { amount: 1 } },
    '/api/agents': { agents: [{ name: 'Ada' }], pagination: { total: 1 } },
  };
  const refusals = { '/graphql': { success: false, error: 'Invalid API key' } };
  const rpc = {
    eth_chainId: () => '0x14a34',
    eth_getTransactionCount: () => '0x7',
    eth_getBalance: () => '0x56bc75e2d63100000',
    eth_maxPriorityFeePerGas: () => '0x1',
    eth_getBlockByNumber: () => ({ baseFeePerGas: '0x3b9aca00', timestamp: '0x0' }),
    eth_call: () => `0x${word(wei)}`,
    eth_sendRawTransaction: ([raw]) => sent.push(raw),
    eth_getTransactionReceipt: ([transactionHash]) => ({
      transactionHash,
      status: '0x1',
      blockNumber: '0x1',
      logs: [log],
    }),
  };
  return async (input, init) => {
    const { hostname, pathname } = new URL(input);
    if (pathname in refusals) return Response.json(refusals[pathname], { status: 401 });
    if (hostname !== 'rpc.test') return Response.json({ success: true, ...answers[pathname] });
    const { method, params } = JSON.parse(init.body);
    return Response.json({ jsonrpc: '2.0', id: 1, result: rpc[method](params) });
  };
}

const limits = { chainId: 84532, contract, perTrade: '0.01', perDay: '0.05', gas: '0.001' };
const sent = [];
/** Before Node.js 22.13 a journal in a file cannot be locked. */
const hasLocks = await import('node:sqlite').then(Boolean, () => false);
for (const signer of [new Wallet(key), privateKeyToAccount(key)]) {
  const options = { baseUrl: 'http://curvet.test', fetch: fixed(signer, sent), signer, limits };
  const inFile = { ...options, journal: fileJournal('journal.json') };
  if (!hasLocks) {
    const refusal = await new Curvet(inFile).trade.buy({ agent, amount: 1, maxSlippage: 0 }).catch((error) => error);
    if (refusal.code !== 'NOT_CONFIGURED') throw new Error('the journal was used without a lock');
  }
  const isFirst = sent.length === 0;
  const curvet = new Curvet(isFirst && hasLocks ? inFile : { ...options, journal: memoryJournal() });
  const [first] = await curvet.agents.list().take(1);
  if (first.name !== 'Ada') throw new Error('the list is wrong');
  const { signal } = new AbortController();
  await curvet.request('GET /api/agents', { signal });
  const stream = curvet.live.feed({ signal })[Symbol.asyncIterator]();
  const refusal = await stream.next().catch((error) => error);
  if (refusal.status !== 401) throw new Error('the stream was not opened');
  const { trade } = await curvet.trade.buy({ agent, amount: 1, maxSlippage: 0 });
  if (trade.amount !== 1) throw new Error('the trade is wrong');
}
if (sent.length !== 2 || sent[0] !== sent[1]) throw new Error('ethers and viem signed different transactions');
if (!curvetCache().policies) throw new Error('Apollo Client has no cache');
console.log(`reads and trades on Node.js ${process.versions.node}, with ethers and viem`);
