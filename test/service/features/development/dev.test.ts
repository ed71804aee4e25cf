import { expect } from 'chai';
import { Transaction } from 'ethers';
import { callData, ticketMarket } from '../../../../src/chain/contract-interface.js';
import { devAccount } from '../../../../src/chain/embedded-chain.js';
import { DEV_RPC_METHODS } from '../../../../src/server/chain-relay/rpc-methods.js';
import { freshIp, success } from '../../../support/market/agents.js';
import { randomWallet } from '../../../support/market/rows.js';
import { withParts } from '../../../support/parts.js';
import { useWorld } from '../../../support/world.js';

describe('the development endpoints', () => {
  const world = useWorld({ TRUST_PROXY: '1' });
  const post = (path: string, body: unknown) => world.ask('POST', path, { body });

  it('send 1 ETH from the faucet', async () => {
    const wallet = randomWallet();
    const { status, body } = await post('/dev/faucet', { address: `0x${wallet.slice(2).toUpperCase()}` });
    expect(status).to.equal(200);
    expect(body).to.deep.equal({ success: true, txHash: body.txHash, address: wallet, amountEth: '1' });
    const receipt = await world.chain.provider.getTransactionReceipt(String(body.txHash));
    expect(receipt?.status).to.equal(1);
    expect(await world.deps.chain.etherBalance(wallet)).to.equal(10n ** 18n);
  });

  it('send ETH to five wallets concurrently', async () => {
    const wallets = Array.from({ length: 5 }, randomWallet);
    const answers = await Promise.all(wallets.map((address) => post('/dev/faucet', { address })));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
    for (const wallet of wallets) expect(await world.deps.chain.etherBalance(wallet)).to.equal(10n ** 18n);
  });

  const call = (method: string, params?: unknown, id: unknown = 1) =>
    world.ask('POST', '/dev/rpc', { headers: freshIp(), body: { jsonrpc: '2.0', id, method, params } });
  const wallet = devAccount(3);

  it('answer each method that /dev/rpc allows like the chain', async () => {
    const { contract, provider } = world.chain;
    const signed = await wallet.connect(provider).populateTransaction({ to: wallet.address, value: 1n });
    const raw = await wallet.signTransaction(signed);
    const sent = await call('eth_sendRawTransaction', [raw]);
    expect(sent.body).to.deep.equal({ success: true, jsonrpc: '2.0', id: 1, result: Transaction.from(raw).hash });
    const hash = sent.body.result;
    const feeSplit = { to: contract, data: callData('feeSplit', []) };
    const calls: [method: string, params: unknown[]][] = [
      ['eth_chainId', []],
      ['eth_blockNumber', []],
      ['eth_call', [feeSplit, 'latest']],
      ['eth_estimateGas', [feeSplit]],
      ['eth_estimateGas', [{ ...feeSplit, accessList: [{ address: contract, storageKeys: [] }] }]],
      ['eth_gasPrice', []],
      ['eth_maxPriorityFeePerGas', []],
      ['eth_feeHistory', ['0x1', 'latest', [12.5, 50]]],
      ['eth_getBalance', [wallet.address, 'latest']],
      ['eth_getTransactionCount', [wallet.address, 'latest']],
      ['eth_getTransactionReceipt', [hash]],
      ['eth_getTransactionByHash', [hash]],
      ['eth_getBlockByNumber', ['latest', false]],
      ['eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest', address: contract, topics: [[`0x${'0'.repeat(64)}`], null] }]],
    ];
    for (const [method, params] of calls) {
      const { status, body } = await call(method, params);
      expect([status, Object.keys(body)], method).to.deep.equal([200, ['success', 'jsonrpc', 'id', 'result']]);
      expect(body.result, method).to.deep.equal(await provider.send(method, params));
    }
    expect(DEV_RPC_METHODS.filter((method) => !calls.some(([name]) => name === method))).to.deep.equal(['eth_sendRawTransaction']);
  });

  it('return the id of a call, and null for a missing receipt', async () => {
    for (const id of [7, 'seven', null]) expect((await call('eth_chainId', [], id)).body.id).to.equal(id);
    const unknown = await call('eth_getTransactionReceipt', [`0x${'1'.repeat(64)}`]);
    expect(unknown.body).to.deep.equal({ success: true, jsonrpc: '2.0', id: 1, result: null });
    const short = await world.ask('POST', '/dev/rpc', { body: { method: 'eth_chainId' } });
    expect(short.body).to.include({ id: null, result: '0x14a34' });
  });

  it('return an error of the node with code, message and data', async () => {
    const { contract } = world.chain;
    const data = callData('sellTickets', [wallet.address, 1, 1]);
    const { status, body } = await call('eth_call', [{ from: wallet.address, to: contract, data }, 'latest']);
    expect([status, Object.keys(body)]).to.deep.equal([200, ['success', 'jsonrpc', 'id', 'error']]);
    const error = body.error as { code: number; message: string; data: string };
    expect(error.code).to.equal(3);
    expect(ticketMarket.parseError(error.data)?.name).to.be.a('string');
    expect((await call('eth_getBalance', ['nobody'])).body).to.have.nested.property('error.code', -32602);
  });

  it('refuse other methods of JSON-RPC and list the allowed ones', async () => {
    const refused = [
      'anvil_reset',
      'evm_mine',
      'hardhat_setBalance',
      'eth_sendTransaction',
      'eth_sign',
      'eth_accounts',
      'personal_sign',
      'debug_traceCall',
      'eth_newFilter',
      'ETH_CALL',
      'eth_call ',
    ];
    for (const method of refused) {
      const { status, body } = await call(method);
      expect([status, body.error], method).to.deep.equal([400, 'method is not valid']);
      expect(body.hint).to.equal(`Send method as one of ${DEV_RPC_METHODS.join(', ')}.`);
    }
  });

  // test/unit/server/chain-relay/rpc-methods.test.ts tests every form of these limits. This test only covers the endpoint.
  it('limit the gas of a simulation, and refuse state overrides', async () => {
    // This code (GAS, MSTORE, RETURN) returns the gas that the node has granted.
    const gasOf = { data: '0x5a60005260206000f3' };
    for (const method of ['eth_call', 'eth_estimateGas']) {
      // An endless loop (JUMPDEST, PUSH1 0, JUMP), with more gas than the limit.
      const endless = { data: '0x5b600056', gas: '0xffffffffffffff' };
      const body = success(await call(method, [endless, 'latest']));
      expect((body.error as { message: string }).message, method).to.match(/out ?of ?gas/i);
      const overrides = { [wallet.address]: { code: gasOf.data } };
      const refused = await call(method, [{ to: wallet.address }, 'latest', overrides]);
      expect([refused.status, refused.body.error], method).to.deep.equal([400, 'params is not valid']);
      expect(refused.body.hint).to.include('without overrides of state or block').and.include('100 percentiles');
    }
    // The limit is 30,000,000. The call itself costs a little before its code runs.
    expect(Number((await call('eth_call', [gasOf, 'latest'])).body.result)).to.be.within(29_940_000, 30_000_000);
  });

  it('return logs of at most 2,000 blocks', async () => {
    const { chain } = world.deps;
    const hash = (await world.chain.provider.getBlock('latest'))?.hash;
    const head = 10_000;
    const hex = (block: number) => `0x${block.toString(16)}`;
    await withParts(world, { chain: { ...chain, blockNumber: async () => head } }, async (other) => {
      const logs = (range: object) => other.ask('POST', '/dev/rpc', { body: { method: 'eth_getLogs', params: [range] } });
      // The newest 2,000 blocks begin at `head - 1999`. The first 2,000 blocks end at 0x7cf, which is 1999.
      for (const [status, range] of [
        [200, {}],
        [200, { fromBlock: hex(head - 1999), toBlock: 'latest' }],
        [200, { fromBlock: hex(head - 1999), toBlock: hex(head + 100_000) }],
        [200, { fromBlock: 'earliest', toBlock: '0x7cf' }],
        [200, { fromBlock: 'safe' }],
        [200, { blockHash: hash }],
        [400, { fromBlock: hex(head - 2000), toBlock: 'latest' }],
        [400, { fromBlock: hex(head - 2000) }],
        [400, { fromBlock: 'earliest', toBlock: 'pending' }],
        [400, { fromBlock: 'earliest', toBlock: 'finalized', blockHash: hash }],
        [400, { fromBlock: 0, toBlock: 'latest' }],
        [400, { fromBlock: '0', toBlock: 'latest' }],
        [400, { fromBlock: `0x${'0'.repeat(20)}` }],
      ] as const) {
        const answer = await logs(range);
        expect(answer.status, JSON.stringify(range)).to.equal(status);
        if (status === 400) expect(answer.body.hint).to.include('at most 2000 blocks');
      }
    });
  });
});
