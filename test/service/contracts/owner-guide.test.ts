import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ContractFactory, ZeroAddress } from 'ethers';
import { CONTRACT_IDENTIFIER, compilerVersion, STANDARD_INPUT } from '../../../scripts/compile.js';
import { DETERMINISTIC_DEPLOYER, encodeArguments } from '../../../scripts/deployment/build.js';
import { stateReport } from '../../../scripts/deployment/state.js';
import { ticketMarketAbi } from '../../../src/chain/abi.js';
import { ticketMarketBytecode } from '../../../src/chain/bytecode.js';
import { callData } from '../../../src/chain/contract-interface.js';
import { devAccount } from '../../../src/chain/embedded-chain.js';
import { type TestChain, testChain } from '../../support/chain/chain.js';

const guide = readFileSync('docs/contract-owner.md', 'utf8');
/** The call data in the table of the guide, by the name of the function. */
const calls = new Map(
  [...guide.matchAll(/^\| `(\w+)\([^`]*\)` \| `(0x[0-9a-f]+)` \|$/gm)].map(([, name = '', data = '']) => [name, data]),
);

describe('the guide of the owner', () => {
  let chain: TestChain;
  let address: string;
  const owner = devAccount(6);

  before(async () => {
    chain = await testChain();
  });
  beforeEach(async () => {
    await chain.reset();
    const factory = new ContractFactory(ticketMarketAbi, ticketMarketBytecode, owner.connect(chain.provider));
    const deployed = await (await factory.deploy(owner, 500n, 500n)).waitForDeployment();
    address = await deployed.getAddress();
  });

  /** Sends a call of the contract, and waits until it is mined. Without `args`, the call data of the guide is used. */
  async function send(name: string, args?: unknown[], from = owner): Promise<void> {
    const data = args === undefined ? calls.get(name) : callData(name, args);
    await (await from.connect(chain.provider).sendTransaction({ to: address, data })).wait();
  }
  const state = async () => (await stateReport(chain.provider, address)).replace(/ +/g, ' ');

  it('names the values that the scripts print', () => {
    for (const value of [CONTRACT_IDENTIFIER, compilerVersion(), STANDARD_INPUT, DETERMINISTIC_DEPLOYER]) {
      expect(guide).to.include(value);
    }
    expect(encodeArguments({ owner: owner.address, protocolBps: 500, agentBps: 500 })).to.match(/^0x0000.*01f4$/);
  });

  it('gives the call data of each function, whose effect the state report shows', async () => {
    expect([...calls]).to.deep.equal(
      ['pause', 'unpause', 'proposeFeeUpdate', 'applyFeeUpdate', 'cancelFeeUpdate', 'acceptOwnership'].map((name) => [
        name,
        callData(name, name === 'proposeFeeUpdate' ? [400, 600] : []),
      ]),
    );
    await send('pause');
    expect(await state()).to.include('Paused yes');
    await send('unpause');
    expect(await state()).to.include('Paused no');

    await send('proposeFeeUpdate');
    const { timestamp = 0 } = (await chain.provider.getBlock('latest')) ?? {};
    const time = (days: number) => new Date((timestamp + days * 86_400) * 1000).toISOString();
    expect(await state()).to.include(`Proposed fees 400 + 600 basis points, from ${time(2)} to ${time(14)}`);
    await send('cancelFeeUpdate');
    expect(await state()).to.include('Fees 500 + 500 basis points\n Proposed fees none');
    await send('proposeFeeUpdate');
    chain.clock.advance(2 * 86_400_000);
    await chain.provider.send('evm_mine', []);
    await send('applyFeeUpdate');
    expect(await state()).to.include('Fees 400 + 600 basis points\n Proposed fees none');

    const next = devAccount(5);
    await send('transferOwnership', [next.address]);
    expect(await state()).to.match(new RegExp(`Owner ${owner.address}, .*\n Ownership offered to ${next.address}\n`));
    await send('transferOwnership', [ZeroAddress]);
    expect(await state()).to.include('Ownership offered to nobody');
    await send('transferOwnership', [next.address]);
    await send('acceptOwnership', undefined, next);
    expect(await state()).to.include(`Owner ${next.address}`);
  });

  it('relies on a state report that says whether the owner is a contract', async () => {
    expect(await state()).to.include(`Owner ${owner.address}, an account with one key`);
    for (const [code, kind] of [
      ['0x00', 'a contract'],
      // Code of this form marks an account with a key that delegates to a contract (EIP-7702).
      [`0xef0100${'ab'.repeat(20)}`, 'an account with one key'],
    ] as const) {
      await chain.provider.send('anvil_setCode', [owner.address, code]);
      expect(await state()).to.include(`Owner ${owner.address}, ${kind}\n`);
    }
  });
});
