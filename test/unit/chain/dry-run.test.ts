import { expect } from 'chai';
import { makeError } from 'ethers';
import { ticketMarket } from '../../../src/chain/contract-interface.js';
import { dryRun } from '../../../src/chain/dry-run.js';
import type { RpcProvider } from '../../../src/chain/rpc.js';
import { AppError } from '../../../src/errors/errors.js';

describe('the trial of a transaction', () => {
  const transaction = { to: '0x', from: '0x', data: '0x', value: 0n, gasLimit: 1n };
  /**
   * Calls `dryRun` with a node that answers `eth_call` with this error. Returns what
   * `dryRun` returns, or the code of its `AppError`.
   */
  const tried = (code: number, message: string, data: string | null = null) => {
    const details = { action: 'call', data, reason: null, transaction, invocation: null, revert: null } as const;
    const error = makeError(message, 'CALL_EXCEPTION', { ...details, info: { error: { code, message } } } as never);
    const provider = { call: () => Promise.reject(error) } as unknown as RpcProvider;
    return dryRun(provider, transaction).catch((thrown) => (thrown instanceof AppError ? thrown.code : thrown));
  };

  const paused = ticketMarket.encodeErrorResult('EnforcedPause', []);
  for (const [title, code, message, data, revert] of [
    ['an error of the contract', 3, 'execution reverted', paused, { name: 'EnforcedPause', args: [] }],
    ['a revert without data', 3, 'execution reverted', null, { name: 'unknown', args: [] }],
    ['a revert that only the text names', -32000, 'VM Exception: revert', null, { name: 'unknown', args: [] }],
    ['too little ether', -32003, 'insufficient funds for gas * price + value', null, { name: 'unknown', args: [] }],
  ] as const) {
    it(`reports a failed transaction after ${title}`, async () => {
      expect(await tried(code, message, data)).to.deep.equal(revert);
    });
  }

  for (const message of ['header not found', 'Internal error', 'execution aborted (timeout = 5s)', 'missing trie node']) {
    it(`says that the chain is unavailable after the node answers "${message}"`, async () => {
      expect(await tried(-32000, message)).to.equal('CHAIN_UNAVAILABLE');
    });
  }
});
