import { expect } from 'chai';
import { Wallet } from 'ethers';
import { AppError } from '../../../../../src/errors/errors.js';
import {
  checkNonce,
  isRecent,
  keyReplacementMessage,
  registrationMessage,
  signerOf,
} from '../../../../../src/features/agents/keys/rules.js';

const signer = new Wallet(`0x${'11'.repeat(32)}`);
const time = new Date('2025-06-01T12:00:00Z');
const facts = { service: 'https://curvet.example', chainId: 84532, wallet: signer.address, time };

describe('the texts that a wallet signs', () => {
  const lines = [
    'Service: https://curvet.example',
    'Chain ID: 84532',
    'Wallet: 0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a',
    'Time: 2025-06-01T12:00:00.000Z',
  ];

  it('have fixed lines, for a registration and for the replacement of a key', () => {
    expect(registrationMessage(facts)).to.equal(['Curvet agent registration', ...lines].join('\n'));
    expect(keyReplacementMessage({ ...facts, nonce: 'a-nonce-of-mine-1' })).to.equal(
      ['Curvet key replacement', ...lines, 'Nonce: a-nonce-of-mine-1'].join('\n'),
    );
  });

  it('are valid from 1 minute before to 10 minutes after their time', () => {
    const isRecentAfter = (seconds: number) => isRecent(time, new Date(time.getTime() + seconds * 1000));
    for (const seconds of [-60, 0, 600]) expect(isRecentAfter(seconds), `${seconds} s`).to.equal(true);
    for (const seconds of [-60.001, 600.001, 86_400]) expect(isRecentAfter(seconds), `${seconds} s`).to.equal(false);
    expect(isRecent(new Date('nonsense'), time)).to.equal(false);
  });
});

describe('the signer of a text', () => {
  it('is nobody for a malformed signature', () => {
    for (const signature of ['', '0x', 'nonsense', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`]) {
      expect(signerOf(registrationMessage(facts), signature), signature).to.equal(null);
    }
  });
});

describe('a nonce', () => {
  it('has 16 to 64 letters, digits, hyphens and underscores', () => {
    for (const nonce of ['4f9d2c1e-7a35-4b08-9e61-0c8d3f5a7b12', 'A_'.repeat(8), 'z'.repeat(64)]) checkNonce(nonce);
    const long = 'z'.repeat(20);
    for (const nonce of ['', 'z'.repeat(15), 'z'.repeat(65), `${long}\n`, `${long} `, 'é'.repeat(20)]) {
      expect(() => checkNonce(nonce), JSON.stringify(nonce)).to.throw(AppError, 'nonce is not valid');
    }
  });
});
