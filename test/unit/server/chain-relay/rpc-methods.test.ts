import { expect } from 'chai';
import { DEV_RPC_METHODS, judgeCalls } from '../../../../src/server/chain-relay/rpc-methods.js';

const call = (method: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] });

describe('the check of JSON-RPC calls from web pages', () => {
  it('allows every method of POST /dev/rpc', () => {
    for (const method of DEV_RPC_METHODS) expect(judgeCalls(call(method))).to.have.property('forward');
  });

  it('serialises the call again, so that the chain reads the method that was checked', () => {
    expect(judgeCalls('{"id":7,"method":"anvil_reset","method":"eth_chainId","params":[1],"x":1}')).to.deep.equal({
      forward: '{"jsonrpc":"2.0","id":7,"method":"eth_chainId","params":[1]}',
    });
    expect(judgeCalls('{"id":7,"method":"eth_chainId","m\\u0065thod":"anvil_reset"}')).to.have.property('answer');
  });

  it('limits the gas of a simulation', () => {
    const paramsOf = (gas: unknown, method = 'eth_call') => {
      const judged = judgeCalls(JSON.stringify({ id: 1, method, params: [{ data: '0x', gas }, 'latest'] }));
      return 'forward' in judged ? JSON.parse(judged.forward).params : judged.answer;
    };
    for (const method of ['eth_call', 'eth_estimateGas', 'eth_createAccessList']) {
      // 0x1c9c380 is the maximum, 30,000,000. It replaces larger values, and all that are no plain hexadecimal numbers.
      for (const gas of ['0x1c9c381', '0xffffffffffffff', '40000000', 40_000_000, ' 0xffffffff', ['0xffffffff']]) {
        expect(paramsOf(gas, method)).to.deep.equal([{ data: '0x', gas: '0x1c9c380' }, 'latest']);
      }
      for (const gas of ['0x1c9c380', '0x5208', undefined]) {
        expect(paramsOf(gas, method)).to.deep.equal([gas ? { data: '0x', gas } : { data: '0x' }, 'latest']);
      }
    }
  });

  it('refuses overrides, many percentiles and named parameters, also in a batch', () => {
    const judge = (method: string, params: unknown) => judgeCalls(JSON.stringify({ id: 3, method, params }));
    for (const [method, params] of [
      ['eth_call', [{}, 'latest', {}]],
      ['eth_estimateGas', [{}, 'latest', null, {}]],
      ['eth_createAccessList', [{}, 'latest', {}]],
      ['eth_call', [[]]],
      ['eth_call', { request: { gas: '0xffffffffffffff' } }],
      ['eth_feeHistory', ['0x1', 'latest', Array(101).fill(1)]],
    ] as const) {
      const judged = judge(method, params);
      expect(judged, JSON.stringify(params)).to.have.property('answer').that.includes('-32602').and.includes('"id":3');
    }
    expect(judge('eth_feeHistory', ['0x1', 'latest', Array(100).fill(1)])).to.have.property('forward');
    const batch = [
      { id: 1, method: 'eth_chainId' },
      { id: 2, method: 'eth_call', params: [{}, 'latest', {}] },
    ];
    const judged = judgeCalls(JSON.stringify(batch));
    const answers = 'answer' in judged ? JSON.parse(judged.answer) : [];
    expect(answers.map(({ id, error }: { id: number; error: { code: number } }) => [id, error.code])).to.deep.equal([
      [1, -32602],
      [2, -32602],
    ]);
  });

  it('refuses malformed calls', () => {
    for (const message of ['', '{', '[]', '1', 'null', '[null]', '{}', '{"method":["eth_chainId"]}', '{"id":{}}']) {
      const judged = judgeCalls(message);
      expect(judged, message).to.have.property('answer').that.includes('"error"').and.includes('"id":null');
    }
    expect(judgeCalls(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).to.have.property('answer');
    const deep = `{"id":1,"method":"eth_call","params":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(judgeCalls(deep)).to.have.property('answer');
  });
});
