import { expect } from 'chai';
import { Interface, keccak256, parseEther } from 'ethers';
import fc from 'fast-check';
import { toEth, toWei } from '../../../../client/src/curvet.js';
import * as calldata from '../../../../client/src/signing/calldata.js';
import * as keccak from '../../../../client/src/signing/keccak.js';
import { ticketMarketAbi } from '../../../../src/chain/abi.js';

const abi = new Interface(ticketMarketAbi);
const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(hex);
const wei = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n });

describe('the client', () => {
  it('hashes like ethers, at every length around a block', () => {
    // A block has 136 bytes, so these lengths end before, at and after the first two blocks.
    for (let length = 0; length < 300; length++) {
      const bytes = hex(Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 255));
      expect(keccak.keccak256(bytes)).to.equal(keccak256(bytes));
    }
  });

  it('encodes and decodes trades like ethers', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('buy', 'sell'),
        address,
        fc.integer({ min: 1, max: 20 }),
        wei,
        fc.option(fc.integer({ min: 0, max: 2 ** 48 - 1 })),
        (side, agent, amount, bound, until) => {
          const call = { side, agent, amount, bound, ...(until === null ? {} : { deadline: until }) };
          const data = calldata.encodeTrade(call);
          const dated = until === null ? [] : [until];
          const signature = `${side}Tickets(address,uint256,uint256${until === null ? '' : ',uint256'})`;
          expect(data).to.equal(abi.encodeFunctionData(signature, [agent, amount, bound, ...dated]));
          expect(calldata.decodeTrade(data)).to.deep.equal(call);
          expect(calldata.maxCostOf(data)).to.equal(side === 'buy' ? bound : 0n);
          const price = side === 'buy' ? 'getBuyPriceAfterFee' : 'getSellPriceAfterFee';
          expect(calldata.encodePrice(side, agent, amount)).to.equal(abi.encodeFunctionData(price, [agent, amount]));
        },
      ),
    );
  });

  it('decodes only a complete trade', () => {
    const call = { side: 'buy', agent: `0x${'11'.repeat(20)}`, amount: 1, bound: 1n } as const;
    const data = calldata.encodeTrade(call);
    // The word of an address begins with 12 zero bytes. Here, the first byte is 1.
    const dirty = `${data.slice(0, 10)}01${data.slice(12)}`;
    const dated = calldata.encodeTrade({ ...call, side: 'sell', deadline: 1 });
    for (const wrong of [
      '0x',
      dated.slice(0, -64),
      dated.slice(0, 10) + data.slice(10),
      data.slice(0, 10) + dated.slice(10),
      `${dated.slice(0, -16)}${'f'.repeat(16)}`,
      data.slice(0, -2),
      `${data}00`,
      dirty,
      `0x12345678${data.slice(10)}`,
      data.replace(/1$/, 'z'),
    ]) {
      expect(calldata.decodeTrade(wrong), wrong).to.equal(undefined);
    }
  });

  it('encodes registrations like ethers, and reads what they may cost', () => {
    const name = fc.string({ minLength: 2, maxLength: 15, unit: 'grapheme-ascii' });
    fc.assert(
      fc.property(name, address, fc.integer({ min: 0, max: 20 }), wei, (text, to, tickets, maxCost) => {
        const agentId = text.toLowerCase();
        const registration = { name: text, agentId, feeDestination: to };
        const data = calldata.encodeRegistration({ ...registration, first: { tickets, maxCost } });
        const signature = 'registerAgent(string,string,address,uint256,uint256)';
        expect(data).to.equal(abi.encodeFunctionData(signature, [text, agentId, to, tickets, maxCost]));
        expect(calldata.maxCostOf(data)).to.equal(maxCost);
        expect(calldata.maxCostOf(data.slice(0, -2))).to.equal(undefined);
        const plain = calldata.encodeRegistration(registration);
        expect(plain).to.equal(abi.encodeFunctionData('registerAgent(string,string,address)', [text, agentId, to]));
        expect(calldata.maxCostOf(plain)).to.equal(0n);
        expect(calldata.maxCostOf(`${plain}00`)).to.equal(undefined);
      }),
    );
  });

  it('converts between ETH and wei without loss', () => {
    fc.assert(fc.property(wei, (amount) => toWei(toEth(amount)) === amount));
    for (const text of ['0', '1', '0.01', '12.000000000000000001']) expect(toWei(text)).to.equal(parseEther(text));
    for (const text of ['', '.5', '1.', '-1', '1e3', '0.0000000000000000001', '1,5']) {
      expect(() => toWei(text), text).to.throw(RangeError);
    }
  });
});
