import { expect } from 'chai';
import * as ethers from 'ethers';
import { ticketMarketAbi } from '../../../../../src/chain/abi.js';
import { MAX_FEE_BPS } from '../../../../../src/values/curve.js';
import { success } from '../../../../support/market/agents.js';
import { withParts } from '../../../../support/parts.js';
import { data, type Json } from '../../../../support/service/graphql.js';
import { useWorld, type World } from '../../../../support/world.js';

const outside = {
  EMBEDDED: '1',
  RPC_URL: 'http://127.0.0.1:1/secret-key',
  CONTRACT_ADDRESS: `0x${'1'.repeat(40)}`,
  SOCIAL_TEXT_PROXY: 'http://127.0.0.1:1/?u={url}',
};
const contractOf = async (world: World) => success(await world.ask('GET', '/api/contract')) as Json;

describe('GET /api/contract', () => {
  const world = useWorld({ RATE_LIMITS: 'off' });

  it('returns the address, ABI and curve of the contract', async () => {
    const answer = await world.ask('GET', '/api/contract');
    const { success: _, abi, gas: __, rules: ___, curve, ...facts } = success(answer) as Json;
    expect(facts).to.deep.equal({
      chainId: 84532,
      contractAddress: world.chain.contract,
      rpcUrl: world.chain.rpcUrl,
      startBlock: 1,
      overloads: true,
      fees: { protocolBps: 500, agentBps: 500 },
    });
    expect(abi).to.deep.equal(ticketMarketAbi);
    expect(curve.divisor).to.equal(50_000);
    expect(curve.formula).to.match(/sum of i\^2 for i from supply to supply \+ amount - 1/);
    expect(answer.headers.get('cache-control')).to.equal('public, no-cache');
    expect(answer.headers.get('etag')).to.be.a('string');
  });

  it('returns the same constants as the contract', async () => {
    const { contractAddress, abi, curve, rules } = await contractOf(world);
    const contract = new ethers.Contract(contractAddress, abi, world.chain.provider);
    const constant = async (name: string) => String(await contract.getFunction(name)());
    expect(await constant('DIVISOR')).to.equal(String(curve.divisor));
    expect(await constant('MAX_TICKETS_PER_TRADE')).to.equal(String(rules.maxTicketsPerTrade));
    expect(await constant('MIN_WITHDRAWAL')).to.equal(rules.minWithdrawalWei);
    expect(await constant('WITHDRAWAL_COOLDOWN')).to.equal(String(rules.withdrawalCooldownSeconds));
    expect(await constant('MAX_FEE_PERCENT')).to.equal(String(MAX_FEE_BPS));
    expect(await constant('FEE_UPDATE_DELAY')).to.equal(String(rules.feeUpdateDelaySeconds));
    expect(await constant('FEE_UPDATE_GRACE')).to.equal(String(rules.feeUpdateGraceSeconds));
  });

  it('reads the fees from the chain', async () => {
    const feeSplit = async () => ({ protocolBps: 750n, agentBps: 250n });
    await withParts(world, { chain: { ...world.deps.chain, feeSplit } }, async (other) => {
      expect((await contractOf(other)).fees).to.deep.equal({ protocolBps: 750, agentBps: 250 });
    });
  });

  it('returns the same data as the contract field of GraphQL', async () => {
    const { contractAddress, fees, abi, rules, success: _, ...rest } = await contractOf(world);
    const { contract } = await data(
      world,
      `{ contract { chainId address rpcUrl startBlock abi overloads protocolFeeBps agentFeeBps curve { divisor formula }
         rules { maxTicketsPerTrade minWithdrawal withdrawalCooldownSeconds feeUpdateDelaySeconds feeUpdateGraceSeconds }
         gas { registerAgent registerAgentWithTickets buyTickets sellTickets } } }`,
    );
    const { minWithdrawalWei, ...limits } = rules;
    expect({ ...contract, abi: JSON.parse(contract.abi) }).to.deep.equal({
      ...rest,
      address: contractAddress,
      abi,
      protocolFeeBps: fees.protocolBps,
      agentFeeBps: fees.agentBps,
      rules: { ...limits, minWithdrawal: minWithdrawalWei },
    });
  });
});

describe('GET /api/contract on an external chain', () => {
  const silent = useWorld({ ...outside, RATE_LIMITS: 'off' });
  const open = useWorld({ ...outside, RATE_LIMITS: 'off', PUBLIC_RPC_URL: 'https://rpc.test/', START_BLOCK: '77' });

  it('hides the RPC URL of the service and finds the deployment block of the contract', async () => {
    const { rpcUrl, startBlock } = await contractOf(silent);
    expect(rpcUrl).to.equal(null);
    const code = (block: number) => silent.chain.provider.getCode(silent.chain.contract, block);
    expect([await code(startBlock - 1), (await code(startBlock)).length > 2]).to.deep.equal(['0x', true]);
  });

  it('returns no deployment block when the RPC has no historical state', async () => {
    const deployBlock = async () => {
      throw new Error('missing trie node');
    };
    await withParts(silent, { chain: { ...silent.deps.chain, deployBlock } }, async (other) => {
      expect((await contractOf(other)).startBlock).to.equal(null);
    });
  });

  it('returns PUBLIC_RPC_URL and START_BLOCK if they are set', async () => {
    expect(await contractOf(open)).to.include({ rpcUrl: 'https://rpc.test/', startBlock: 77 });
    const { contract } = await data(open, '{ contract { rpcUrl startBlock } }');
    expect(contract).to.deep.equal({ rpcUrl: 'https://rpc.test/', startBlock: 77 });
    expect(String((await open.ask('GET', '/docs')).body.text)).to.contain('RPC `https://rpc.test/`');
  });
});
