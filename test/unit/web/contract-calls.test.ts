import { expect } from 'chai';
import { ticketMarketAbi } from '../../../src/chain/abi.js';
import { ticketMarket } from '../../../src/chain/contract-interface.js';
import { FUNCTIONS, faultOf, type TradeCall, tradeTransaction } from '../../../web/src/contract/calls.js';
import { ERRORS, revertSentence } from '../../../web/src/contract/reverts.js';
import { plainText } from '../../../web/src/format/sentence.js';
import { codeOf, revertData } from '../../../web/src/wallet/provider.js';

const AGENT = `0x${'a1'.repeat(20)}`;
const FROM = `0x${'b2'.repeat(20)}`;
const CONTRACT = { address: `0x${'c3'.repeat(20)}`, abi: JSON.stringify(ticketMarketAbi) };
const purchase: TradeCall = { side: 'buy', agent: AGENT, tickets: 3, bound: 12_345n, deadline: 1_900_000_000 };
const sale: TradeCall = { ...purchase, side: 'sell' };

describe('the dashboard', () => {
  it('has the selectors of the contract', () => {
    for (const { name, selector, types } of Object.values(FUNCTIONS))
      expect(ticketMarket.getFunction(`${name}(${types.join()})`)?.selector, name).to.equal(selector);
  });

  for (const call of [purchase, sale]) {
    it(`encodes the call to ${call.side} tickets as ethers does`, () => {
      const { from, to, data, value } = tradeTransaction(FROM, CONTRACT.address, call);
      const decoded = ticketMarket.parseTransaction({ data, value: BigInt(value) });
      expect(decoded?.signature).to.equal(`${call.side}Tickets(address,uint256,uint256,uint256)`);
      expect([...(decoded?.args ?? [])].map(String).map((text) => text.toLowerCase())).to.deep.equal([
        AGENT,
        '3',
        '12345',
        '1900000000',
      ]);
      expect([from, to, BigInt(value)]).to.deep.equal([FROM, CONTRACT.address, call.side === 'buy' ? 12_345n : 0n]);
      expect(faultOf({ from, to, data, value }, CONTRACT, call)).to.equal(undefined);
    });
  }

  it('finds every fault of a transaction before the wallet sees it', () => {
    const sound = tradeTransaction(FROM, CONTRACT.address, purchase);
    const fault = (change: Partial<typeof sound>, contract = CONTRACT) => faultOf({ ...sound, ...change }, contract, purchase);
    expect(fault({ to: AGENT })).to.equal('address');
    // An address that is malformed, zero or the agent is refused even if the service names it as the contract.
    expect(fault({ to: '0x12' }, { ...CONTRACT, address: '0x12' })).to.equal('address');
    const zero = `0x${'0'.repeat(40)}`;
    expect(fault({ to: zero }, { ...CONTRACT, address: zero })).to.equal('address');
    expect(fault({ to: AGENT }, { ...CONTRACT, address: AGENT })).to.equal('address');
    expect(fault({ data: sound.data.replace(FUNCTIONS.buy.selector, FUNCTIONS.sell.selector) })).to.equal('selector');
    expect(fault({ data: sound.data.replace('a1', 'a2') })).to.equal('arguments');
    expect(fault({ data: `${sound.data}00` })).to.equal('arguments');
    // The bound is 12,345 wei, which is 0x3039.
    expect(fault({ value: '0x3039ff' })).to.equal('value');
    expect(faultOf({ ...tradeTransaction(FROM, CONTRACT.address, sale), value: '0x1' }, CONTRACT, sale)).to.equal('value');
  });

  it('refuses a contract whose ABI is invalid, lacks the function or declares it as a view', () => {
    const sound = tradeTransaction(FROM, CONTRACT.address, purchase);
    const fault = (abi: string) => faultOf(sound, { ...CONTRACT, abi }, purchase);
    expect(fault('<html>')).to.equal('abi');
    expect(fault('{}')).to.equal('abi');
    // The contract has two functions `buyTickets`. That with four parameters has a deadline, and the dashboard calls it.
    const isDeadline = (entry: object) =>
      'name' in entry && entry.name === 'buyTickets' && 'inputs' in entry && (entry.inputs as object[]).length === 4;
    expect(fault(JSON.stringify(ticketMarketAbi.filter((entry) => !isDeadline(entry))))).to.equal('abi');
    const changed = ticketMarketAbi.map((entry) => (isDeadline(entry) ? { ...entry, stateMutability: 'view' } : entry));
    expect(fault(JSON.stringify(changed))).to.equal('abi');
  });
});

describe('reverts of the contract in the dashboard', () => {
  it('have a sentence for every error of the ABI, under its selector', () => {
    const expected: Record<string, string> = {};
    ticketMarket.forEachError(({ name, selector }) => {
      expected[selector] = name;
    });
    expect(ERRORS).to.deep.equal(expected);
    for (const selector of Object.keys(ERRORS)) expect(plainText(revertSentence(selector))).to.match(/^[A-Z].+\.$/);
  });

  it('name the amounts, or the selector of an unknown error', () => {
    const cost = ticketMarket.encodeErrorResult('CostAboveMax', [2n * 10n ** 18n, 15n * 10n ** 17n]);
    expect(plainText(revertSentence(cost))).to.equal(
      'The price has risen: the tickets cost 2\u00a0ETH, more than your maximum of 1.5\u00a0ETH.',
    );
    const held = ticketMarket.encodeErrorResult('InsufficientTickets', [2n, 5n]);
    expect(revertSentence(held)).to.include('holds 2 tickets').and.include('not the 5 to sell');
    expect(revertSentence('0x12345678')).to.include('unknown error (0x12345678)');
  });

  it('are found wherever wallets put their data', () => {
    const data = ticketMarket.encodeErrorResult('LastTicket', [1n, 1n]);
    expect(revertData({ code: 3, message: 'execution reverted', data })).to.equal(data);
    expect(revertData({ code: -32603, data: { code: 3, data } })).to.equal(data);
    expect(revertData({ code: -32603, data: { originalError: { code: 3, data } } })).to.equal(data);
    expect(revertData(Object.assign(new Error('call failed'), { info: { error: { data } } }))).to.equal(data);
    expect(revertData({ code: 4001, message: 'refused' })).to.equal(undefined);
    expect(revertData({ data: '0x' })).to.equal(undefined);
    expect(codeOf({ code: -32603, data: { originalError: { code: 4001 } } })).to.equal(4001);
  });
});
