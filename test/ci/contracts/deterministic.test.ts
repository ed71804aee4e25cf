import { expect } from 'chai';
import { Contract, concat, getCreateAddress, keccak256 } from 'ethers';
import {
  creationCode,
  DETERMINISTIC_DEPLOYER,
  DETERMINISTIC_DEPLOYER_CODE,
  deterministicAddress,
  encodeArguments,
  equalsBuild,
} from '../../../scripts/deployment/build.js';
import { readCreation, verificationReport } from '../../../scripts/deployment/verification.js';
import { ticketMarketAbi } from '../../../src/chain/abi.js';
import { devAccount } from '../../../src/chain/embedded-chain.js';
import { RpcProvider, RpcUnavailable } from '../../../src/chain/rpc.js';
import { reasonOf } from '../../../src/observe/outages.js';
import { CHAIN_ID, type TestChain, testChain } from '../../support/chain/chain.js';
import { announced, deployMain, freshSalt, verifyMain } from '../../support/chain/scripts.js';
import { callProgram } from '../../support/service/command.js';
import { eventually } from '../../support/service/process.js';
import { testTimes } from '../../support/times.js';

const PAYER = devAccount(7);
const ARGS = { owner: devAccount(8).address, protocolBps: 750, agentBps: 250 };

describe('a deployment at a deterministic address', () => {
  let chain: TestChain;
  let env: Record<string, string>;
  let salt: string;

  before(async () => {
    chain = await testChain();
  });
  beforeEach(() => {
    salt = freshSalt();
    const { owner: OWNER, protocolBps, agentBps } = ARGS;
    const fees = { PROTOCOL_BPS: String(protocolBps), AGENT_BPS: String(agentBps) };
    env = { RPC_URL: chain.rpcUrl, DEPLOYER_KEY: PAYER.privateKey, OWNER, SALT: salt, ...fees };
  });

  const deploy = () => callProgram(deployMain, [], env);
  const verify = (CONTRACT_ADDRESS: string, given: Record<string, string> = {}) =>
    callProgram(verifyMain, [], { RPC_URL: chain.rpcUrl, CONTRACT_ADDRESS, ...given });
  const addressIn = (stdout: string) => /^CONTRACT_ADDRESS=(0x[0-9a-f]{40})\n/.exec(stdout)?.[1] ?? stdout;
  const ownerOf = (address: string) =>
    new Contract(address, ticketMarketAbi, chain.provider).getFunction('owner')() as Promise<string>;

  /** Replaces the code of the deterministic deployer, the contract that the script calls to create the market. */
  const setDeployer = (code: string) => chain.provider.send('anvil_setCode', [DETERMINISTIC_DEPLOYER, code]);
  afterEach(async () => {
    await setDeployer(DETERMINISTIC_DEPLOYER_CODE);
    await chain.provider.send('evm_setAutomine', [true]);
  });

  it('gets an address that depends on code, arguments and salt, and not on the payer', async () => {
    const { stdout, stderr, code } = await deploy();
    expect(code, stderr).to.equal(0);
    const address = addressIn(stdout);
    expect(address).to.equal(deterministicAddress(ARGS, salt));
    // EIP-1014 defines the address as the last 20 bytes of keccak256(0xff ++ deployer ++ salt ++ keccak256(creation code)).
    const hash = keccak256(concat(['0xff', DETERMINISTIC_DEPLOYER, salt, keccak256(creationCode(ARGS))]));
    expect(address).to.equal(`0x${hash.slice(-40)}`);
    expect(await ownerOf(address)).to.equal(ARGS.owner);
  });

  it('is found by a second attempt, which sends nothing', async () => {
    const first = await deploy();
    const nonce = await chain.provider.getTransactionCount(PAYER);
    const second = await deploy();
    expect([second.code, second.stdout], second.stderr).to.deep.equal([0, first.stdout]);
    expect(second.stderr).to.match(/^The contract 0x[0-9a-f]{40} exists already; nothing is sent\n/);
    expect(second.stderr).to.include('The address proves how the contract was created');
    expect(await chain.provider.getTransactionCount(PAYER)).to.equal(nonce);
  });

  it('succeeds if somebody else sends the same creation first', async () => {
    const { provider } = chain;
    const other = devAccount(9).connect(provider);
    await provider.send('evm_setAutomine', [false]);
    const running = deploy();
    const isSent = async () => Number((await provider.send('txpool_status', [])).pending) > 0;
    await eventually(isSent, 'no transaction is sent');
    // Higher fees put this transaction before that of the script.
    const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 11n, gasLimit: 5_000_000 };
    await other.sendTransaction({ to: DETERMINISTIC_DEPLOYER, data: concat([salt, creationCode(ARGS)]), ...fees });
    await provider.send('evm_mine', []);
    const { code, stdout, stderr } = await running;
    expect(code, stderr).to.equal(0);
    const [, hash = ''] = announced.exec(stderr) ?? [];
    expect((await provider.getTransactionReceipt(hash))?.status).to.equal(0);
    const [address, block] = [deterministicAddress(ARGS, salt), await provider.getBlockNumber()];
    expect(stdout).to.equal(`CONTRACT_ADDRESS=${address}\nSTART_BLOCK=${block}\n`);
  });

  for (const [what, code] of [
    ['no deterministic deployer', '0x'],
    ['other code at its address', `${DETERMINISTIC_DEPLOYER_CODE}00`],
  ] as const) {
    it(`falls back to a plain creation where there is ${what}`, async () => {
      await setDeployer(code);
      const nonce = await chain.provider.getTransactionCount(PAYER);
      const { stdout, stderr, code: exit } = await deploy();
      expect(exit, stderr).to.equal(0);
      const address = addressIn(stdout);
      expect(address).to.equal(getCreateAddress({ from: PAYER.address, nonce }).toLowerCase());
      expect(await ownerOf(address)).to.equal(ARGS.owner);
      expect(stderr).to.include('The address does not prove how the contract was created');
      const again = addressIn((await deploy()).stdout);
      expect(again).not.to.equal(address);
    });
  }

  for (const [where, deployer, advice] of [
    ['there', DETERMINISTIC_DEPLOYER_CODE, 'Another attempt deploys at the same address, or finds the contract there'],
    ['not there', '0x', 'Before another attempt, check whether the contract ADDRESS exists'],
  ] as const) {
    it(`names its transaction and its address when it times out and the deterministic deployer is ${where}`, async () => {
      await chain.provider.send('evm_setAutomine', [false]);
      await setDeployer(deployer);
      const { code, stdout, stderr } = await callProgram(deployMain, [], { ...env, DEPLOY_TIMEOUT: '1' });
      const [first = '', hash, address = ''] = announced.exec(stderr) ?? [];
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr.slice(first.length)).to.equal(
        `Transaction ${hash}: it is in no block after 1 seconds. ${advice.replace('ADDRESS', address)}\n`,
      );
      await chain.provider.send('evm_mine', []);
      expect(await chain.provider.getCode(address)).not.to.equal('0x');
    });
  }

  it('prints on stderr what a block explorer asks for, as npm run verify:contract does', async () => {
    const { stdout, stderr } = await deploy();
    const address = addressIn(stdout);
    expect(stderr.split('\n').slice(1)).to.deep.equal([
      `The code at ${address} is the build of contracts/standard-input.json.`,
      'The address proves how the contract was created: by this bytecode with these arguments.',
      'A block explorer or Sourcify asks for:',
      '  Chain                  84532',
      `  Address                ${address}`,
      '  Contract               contracts/TicketMarket.sol:TicketMarket',
      '  Compiler               v0.8.37+commit.f401782d',
      '  Standard JSON input    contracts/standard-input.json',
      '  Licence                MIT',
      `  First owner and fees   ${ARGS.owner}, 750 + 250 basis points`,
      `  Constructor arguments  ${encodeArguments(ARGS).slice(2)}`,
      '',
    ]);
    const verified = await verify(address, { SALT: salt });
    expect([verified.code, verified.stderr]).to.deep.equal([0, '']);
    expect(verified.stdout).to.equal(
      [
        `${stderr.replace(announced, '')}State:`,
        `  Owner                  ${ARGS.owner}, an account with one key`,
        '  Ownership offered to   nobody',
        '  Paused                 no',
        '  Fees                   750 + 250 basis points',
        '  Proposed fees          none',
        '  Protocol fees          0.0 ether',
        '',
      ].join('\n'),
    );
  });

  describe('checked with npm run verify:contract', () => {
    let address: string;
    beforeEach(async () => {
      address = addressIn((await deploy()).stdout);
    });

    it('is not proven with another salt', async () => {
      const { code, stdout } = await verify(address);
      expect(code).to.equal(0);
      expect(stdout).to.include('The address does not prove how the contract was created');
    });

    it('is refused if one digit of the code differs', async () => {
      const code = await chain.provider.getCode(address);
      const digit = code.at(-60) === '0' ? '1' : '0';
      await chain.provider.send('anvil_setCode', [address, code.slice(0, -60) + digit + code.slice(-59)]);
      const run = await verify(address, { SALT: salt });
      expect([run.code, run.stdout]).to.deep.equal([1, '']);
      expect(run.stderr).to.equal(`The code at ${address} is not the build of contracts/standard-input.json\n`);
    });

    it('is reported as unchecked if the RPC has no old state', async () => {
      const provider = new RpcProvider([chain.rpcUrl], CHAIN_ID, testTimes);
      const failing = (error: Error) => Object.assign(provider, { getCode: () => Promise.reject(error) });
      try {
        expect(await readCreation(provider, address)).to.deep.include({ args: ARGS });
        expect(await readCreation(failing(new Error('missing trie node')), address)).to.equal(null);
        const lost = await readCreation(failing(new RpcUnavailable('no answer')), address).catch(reasonOf);
        expect(lost).to.equal('no answer');
      } finally {
        provider.destroy();
      }
      expect(verificationReport({ chainId: CHAIN_ID, address, salt }, undefined))
        .to.include('This RPC has no old state, so the creation is not checked.')
        .and.not.include('Constructor arguments');
    });

    it('is refused where there is no code', async () => {
      const empty = `0x${'ab'.repeat(20)}`;
      expect((await verify(empty)).stderr).to.equal(`${empty} has no code\n`);
      expect((await verify('')).stderr).to.equal('CONTRACT_ADDRESS is not set; accepted: an address\n');
    });
  });
});

describe('the comparison of deployed code with the build', () => {
  const built = {
    object: '6001000000000260',
    immutableReferences: { 7: [{ start: 2, length: 2 }], 9: [{ start: 5, length: 1 }] },
  };

  it('ignores values that the constructor fills in, and case, and finds any other difference', () => {
    expect(equalsBuild('6001abCD00ff0260', built)).to.equal(true);
    for (let at = 0; at < built.object.length; at++) {
      const digit = built.object[at] === 'f' ? '0' : 'f';
      const code = built.object.slice(0, at) + digit + built.object.slice(at + 1);
      // A byte has two digits. So the constructor fills in the digits 4 to 7 and 10 to 11.
      const filled = (at >= 4 && at < 8) || (at >= 10 && at < 12);
      expect(equalsBuild(code, built), String(at)).to.equal(filled);
    }
    expect(equalsBuild(`${built.object}00`, built)).to.equal(false);
    expect(equalsBuild('', built)).to.equal(false);
  });
});
