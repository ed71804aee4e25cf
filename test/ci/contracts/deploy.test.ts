import { createServer } from 'node:http';
import { expect } from 'chai';
import { Contract, Wallet } from 'ethers';
import { ticketMarketAbi } from '../../../src/chain/abi.js';
import { devAccount } from '../../../src/chain/embedded-chain.js';
import { type TestChain, testChain } from '../../support/chain/chain.js';
import { announced, deployMain, freshSalt } from '../../support/chain/scripts.js';
import { callProgram } from '../../support/service/command.js';
import { listen } from '../../support/service/listen.js';

/** A wallet that has never had ether. */
const poor = new Wallet(`0x${'3d'.repeat(32)}`);
const CANNOT_PAY = new RegExp(`^${poor.address} cannot pay for the deployment\n$`);
/** The refusal of a malformed RPC_URL, which must not repeat the password in it. */
const BAD_RPC_URL = /^RPC_URL is not valid; (?!.*s3cret)accepted: .+\n$/;

const run = (env: Record<string, string>) => callProgram(deployMain, [], env);

describe('the deploy script', () => {
  let chain: TestChain;
  let usual: Record<string, string>;
  before(async () => {
    chain = await testChain();
    usual = { RPC_URL: chain.rpcUrl, DEPLOYER_KEY: devAccount(7).privateKey };
  });
  beforeEach(() => {
    // Another salt gives another address. With the salt of the previous test, the script would find the contract of that test.
    usual.SALT = freshSalt();
  });

  async function deployed(env: Record<string, string>) {
    const { code, stdout, stderr } = await run(env);
    expect(code, stderr).to.equal(0);
    const told = /^CONTRACT_ADDRESS=(0x[0-9a-f]{40})\nSTART_BLOCK=(\d+)\n$/.exec(stdout);
    expect(told, stdout).not.to.equal(null);
    const [, address, block] = told!;
    const [, hash, predicted] = announced.exec(stderr) ?? [];
    expect(predicted, stderr).to.equal(address);
    expect((await chain.provider.getTransactionReceipt(hash!))?.blockNumber).to.equal(Number(block));
    expect(await chain.provider.getCode(address!, Number(block) - 1)).to.equal('0x');
    expect(await chain.provider.getCode(address!, Number(block))).not.to.equal('0x');
    const market = new Contract(address!, ticketMarketAbi, chain.provider);
    return { owner: await market.getFunction('owner')(), split: [...(await market.getFunction('feeSplit')())] };
  }

  it('prints address and block of a contract that the deployer owns, with fees of 500 + 500 basis points', async () => {
    expect(await deployed(usual)).to.deep.equal({ owner: devAccount(7).address, split: [500n, 500n] });
  });

  for (const [what, change, line] of [
    ['no RPC_URL', { RPC_URL: '' }, /^RPC_URL is not set; accepted: an http:\/\/ or https:\/\/ address\n$/],
    ['an RPC_URL with a wrong scheme', { RPC_URL: 'ftp://me:s3cret@x' }, BAD_RPC_URL],
    ['a malformed RPC_URL', { RPC_URL: 'http://me:s3cret@:x' }, BAD_RPC_URL],
    ['an RPC_URL with a malformed user', { RPC_URL: 'http://me%:s3cret@x' }, BAD_RPC_URL],
    ['an unreachable RPC_URL', { RPC_URL: 'http://127.0.0.1:9' }, /^RPC_URL: no chain answers there\n$/],
    ['no DEPLOYER_KEY', { DEPLOYER_KEY: '' }, /^DEPLOYER_KEY is not set; accepted: .+\n$/],
    ['an invalid DEPLOYER_KEY', { DEPLOYER_KEY: '0x12345678' }, /^DEPLOYER_KEY is not valid; (?!.*12345678).+\n$/],
    ['a DEPLOYER_KEY of zero', { DEPLOYER_KEY: `0x${'0'.repeat(64)}` }, /^DEPLOYER_KEY is not valid; .+\n$/],
    ['a deployer without ether', { DEPLOYER_KEY: poor.privateKey }, CANNOT_PAY],
    ['another chain', { CHAIN_ID: '8453' }, /^CHAIN_ID is 8453; RPC_URL answers for chain 84532\n$/],
    ['an invalid CHAIN_ID', { CHAIN_ID: 'base' }, /^CHAIN_ID is "base"; accepted: a chain ID\n$/],
    ['an invalid OWNER', { OWNER: '0x12' }, /^OWNER is "0x12"; accepted: an address that is not zero\n$/],
    ['the zero OWNER', { OWNER: `0x${'0'.repeat(40)}` }, /^OWNER is "0x0+"; accepted: .+\n$/],
    ['a fee above 10 %', { PROTOCOL_BPS: '1001' }, /^PROTOCOL_BPS is "1001"; accepted: basis points, 0 to 1000\n$/],
    ['a negative fee', { AGENT_BPS: '-1' }, /^AGENT_BPS is "-1"; accepted: basis points, 0 to 1000\n$/],
    ['a timeout of zero', { DEPLOY_TIMEOUT: '0' }, /^DEPLOY_TIMEOUT is "0"; accepted: seconds, 1 to 86400\n$/],
    ['a SALT that is too short', { SALT: '0x12' }, /^SALT is "0x12"; accepted: 0x and 64 hex digits\n$/],
    ['a sum of fees above 10 %', { PROTOCOL_BPS: '501' }, /^PROTOCOL_BPS and AGENT_BPS are 1001 together; .+\n$/],
  ] as const) {
    it(`refuses ${what} in one line`, async () => {
      const { code, stdout, stderr } = await run({ ...usual, ...change });
      expect(stderr).to.match(line);
      expect([code, stdout]).to.deep.equal([1, '']);
    });
  }

  describe('with an RPC that requires a password', () => {
    const server = createServer(async (request, response) => {
      const body: Buffer[] = [];
      for await (const part of request) body.push(part);
      const known = request.headers.authorization === `Basic ${Buffer.from('me:s3 cret').toString('base64')}`;
      if (!known) return response.writeHead(401).end('who are you?');
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(chain.rpcUrl, { method: 'POST', headers, body: Buffer.concat(body) });
      response.writeHead(answer.status, headers).end(await answer.text());
    });
    let url: string;
    const at = (user: string) => url.replace('//', `//${user}`);
    before(async () => {
      url = await listen(server);
    });
    after(() => new Promise((resolve) => server.close(resolve)));

    it('uses the first HTTP URL of the list, with its password', async () => {
      const RPC_URL = `wss://chain.test, ${at('me:s3%20cret@')}`;
      expect((await deployed({ ...usual, RPC_URL })).split).to.deep.equal([500n, 500n]);
    });

    it('does not reveal a refused password', async () => {
      const { code, stdout, stderr } = await run({ ...usual, RPC_URL: at('me:wrong@') });
      expect(stderr).to.equal('RPC_URL: no chain answers there\n');
      expect([code, stdout]).to.deep.equal([1, '']);
    });
  });
});
