import { expect } from 'chai';
import { resembles } from '../../../src/server/inputs.js';

// A request is refused if it has an unknown name that resembles a declared field which it lacks. Other unknown names are ignored.
describe('an unknown name in a request', () => {
  for (const [declared, names] of [
    ['deadlineSeconds', ['deadlineSecond', 'deadline_seconds', 'DEADLINESECONDS', 'seconds']],
    ['maxSlippage', ['slippage', 'Slippage', 'maxSlipage', 'maxslippage']],
    ['walletAddress', ['address', 'walletAdress', 'wallet_address', 'walletAddr ess']],
    ['agent', ['agnt', 'agents', 'agnet', 'agentId', 'Agent']],
    ['amount', ['amout', 'ammount', 'amuont', 'amnt']],
    ['page', ['pag', 'pages', 'pgae', 'Page']],
    ['bio', ['bi', 'boi', 'Bio', 'bios']],
    ['q', ['Q']],
  ] as const) {
    it(`resembles ${declared} if it is one of ${names.join(', ')}`, () => {
      expect(names.filter((name) => !resembles(name, declared))).to.deep.equal([]);
    });
  }

  for (const [declared, names] of [
    ['deadlineSeconds', ['deadline', 'lineSeconds', 'ttl', 'onds', '']],
    ['maxSlippage', ['max', 'page', 'ippage', 'slippages', 'minSlippages']],
    ['walletAddress', ['wallet', 'ress', 'targetAddress', 'agentAddress']],
    ['agent', ['agentName', 'wallet', 'at', 't', 'v', 'ts', '_', 'e']],
    ['amount', ['count1', 'sum', 'qty', 'mt']],
    ['page', ['tag', 'type', 'p', 'id', 'by', 'size', 'ge']],
    ['bio', ['foo', 'id', 'by', 'b', 'io1', '_', 't', 'ts', 'v']],
    ['id', ['by', 'i', 'ids', 'v']],
    ['q', ['s', 'id', 'by', '_', 't', 'v', 'qq', '']],
  ] as const) {
    it(`does not resemble ${declared} if it is one of ${names.join(', ')}`, () => {
      expect(names.filter((name) => resembles(name, declared))).to.deep.equal([]);
    });
  }
});
