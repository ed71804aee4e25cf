import { expect } from 'chai';
import { eventId, postKey, registrationKey, tradeKey } from '../../../src/values/trade.js';

const wallet = `0x${'ab'.repeat(20)}`;
const txHash = `0x${'cd'.repeat(32)}`;

describe('event ids', () => {
  it('are the first 22 base64url characters of the SHA-256 of the key', () => {
    // The hexadecimal digits are the first 17 bytes that `printf abc | sha256sum` prints. 22 characters of base64url encode 16.5
    // bytes.
    expect(eventId('abc')).to.equal(Buffer.from('ba7816bf8f01cfea414140de5dae2223b0', 'hex').toString('base64url').slice(0, 22));
  });

  it('keep their keys stable, because stored ids and links depend on them', () => {
    expect(tradeKey(txHash, 1)).to.equal(`trade:${txHash}:1`);
    expect(registrationKey(wallet)).to.equal(`registration:${wallet}`);
    expect(postKey(wallet, new Date(1_750_000_000_000), 'gm: x')).to.equal(`post:${wallet}:1750000000000:gm: x`);
  });
});
