import { expect } from 'chai';
import { AbiCoder, type Result } from 'ethers';
import { ChainMismatch, checkChain, ethersChain } from '../../../src/chain/chain.js';
import { ticketMarket, uintLists } from '../../../src/chain/contract-interface.js';
import { type Behaviour, json, replies, useNodes } from '../../support/chain/node.js';
import { thrownBy } from '../../support/refused.js';
import { eventually } from '../../support/service/process.js';
import { manualTimes } from '../../support/times.js';

const CHAIN_ID = 84532;
const contract = `0x${'c0'.repeat(20)}`;
const wallet = (number: number) => `0x${number.toString(16).padStart(40, '0')}`;
/**
 * The numbers from 1 to `count`, each once, because 7919 is a prime. They are not in ascending order, so that a sorted result would
 * differ.
 */
const numbers = (count: number) => Array.from({ length: count }, (_, i) => ((i * 7919) % count) + 1);

describe('the decoder of uint256 lists', () => {
  const lists = [[0n, 1n, 2n ** 256n - 1n], [], [7n]];
  const answer = AbiCoder.defaultAbiCoder().encode(['uint256[]', 'uint256[]', 'uint256[]'], lists);

  it('returns the lists that ethers encodes', () => {
    expect(uintLists(answer, 3)).to.deep.equal(lists);
  });

  it('refuses an incomplete answer and a length or position beyond its end', () => {
    const huge = answer.replace(/(^0x.{192})(.{64})/, `$1${'f'.repeat(64)}`);
    for (const wrong of ['0x', answer.slice(0, -64), huge, `0x${'f'.repeat(256)}`]) {
      expect(() => uintLists(wrong, 3), wrong).to.throw('incomplete answer');
    }
  });
});

describe('contract reads for many wallets', () => {
  const { node, over } = useNodes();
  let chunks: number[];

  /** Answers for a contract in which the supply and the balance of a wallet equal its number, and its fees are twice the number. */
  const contractAnswers: Behaviour = (response, calls) => {
    const all = calls.map(({ id, params }) => {
      const { data } = params[0] as { data: string };
      const { name, args } = ticketMarket.parseTransaction({ data })!;
      const asked = (args.at(-1) as Result).toArray().map((address) => BigInt(address));
      chunks.push(asked.length);
      const lists = name === 'marketsOf' ? [asked, asked.map((number) => number * 2n)] : [asked];
      return { jsonrpc: '2.0', id, result: ticketMarket.encodeFunctionResult(name, lists) };
    });
    // The answers come in reverse order, so the provider must match them to the calls by their ids.
    json(response, all.reverse());
  };

  beforeEach(() => {
    chunks = [];
  });
  async function open() {
    const rpc = await node(contractAnswers);
    return { rpc, chain: ethersChain(over([rpc]), { chainId: CHAIN_ID, contract, rpcUrl: rpc.url }) };
  }

  it('read 1,000 wallets per call in one batch and return the states in order', async () => {
    const [{ rpc, chain }, all] = [await open(), numbers(2100)];
    const states = await chain.states(all.map(wallet));
    expect(states).to.deep.equal(all.map((number) => ({ supply: number, pendingFees: BigInt(number) * 2n })));
    expect(chunks.sort((a, b) => b - a)).to.deep.equal([1000, 1000, 100]);
    expect(rpc.requests).to.equal(1);
  });

  it('return the balances in order, in one call for up to 1,000 wallets and in none for an empty list', async () => {
    const [{ rpc, chain }, all] = [await open(), numbers(1000)];
    expect(await chain.balances(wallet(1), all.map(wallet))).to.deep.equal(all);
    expect(chunks).to.deep.equal([1000]);
    expect([await chain.states([]), await chain.balances(wallet(1), [])]).to.deep.equal([[], []]);
    expect(rpc.requests).to.equal(1);
  });
});

describe('the deployment block of the contract', () => {
  const { node, over } = useNodes();

  it('is searched once for concurrent callers', async () => {
    const [deployed, head] = [37, 100];
    const codeAt = (block: unknown) => (Number(block) >= deployed ? '0x60' : '0x');
    const rpc = await node(
      replies(({ method, params }) => ({
        result: method === 'eth_blockNumber' ? `0x${head.toString(16)}` : codeAt(params[1]),
      })),
    );
    const chain = ethersChain(over([rpc]), { chainId: CHAIN_ID, contract, rpcUrl: rpc.url });
    expect(await Promise.all([chain.deployBlock(), chain.deployBlock()])).to.deep.equal([deployed, deployed]);
    const { requests } = rpc;
    // One request for the newest block, and about seven for a bisection of 100 blocks. Two searches would need more than 10.
    expect(requests).to.be.within(2, 10);
    expect(await chain.deployBlock()).to.equal(deployed);
    expect(rpc.requests).to.equal(requests);
  });
});

describe('the check of the chain at the start', () => {
  const { node, over } = useNodes();

  /** Checks the chain of a node that answers `eth_chainId` with these answers in turn, and repeats the last one. */
  async function check(answers: unknown[]): Promise<void> {
    const next = () => (answers.length > 1 ? answers.shift() : answers[0]);
    const rpc = await node(replies(({ method }) => ({ result: method === 'eth_chainId' ? next() : '0x60' })));
    const times = manualTimes();
    let isSettled = false;
    const checked = checkChain(over([rpc], times), CHAIN_ID, contract).finally(() => {
      isSettled = true;
    });
    checked.catch(() => {});
    // The check waits half a second before it asks again. The clock advances whenever it waits.
    await eventually(() => {
      if (times.waiting[0] === 500) times.advance(500);
      return isSettled;
    });
    await checked;
  }
  const right = `0x${CHAIN_ID.toString(16)}`;

  it('is repeated after a wrong answer', async () => {
    await check([right.slice(0, -1), '0xffffffffff', right]);
  });

  it('fails if the chain id stays wrong', async () => {
    expect(await thrownBy(check(['0x1'])))
      .to.be.instanceOf(ChainMismatch)
      .and.include({ message: `CHAIN_ID: ${CHAIN_ID}, but RPC_URL is on chain 1` });
  });
});
