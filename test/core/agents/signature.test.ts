import { expect } from 'chai';
import { Wallet } from 'ethers';
import { checkSignature, checkSignatureAge, registrationMessage } from '../../../src/core/agents/signature.js';
import { AppError } from '../../../src/errors.js';

const signer = new Wallet(`0x${'11'.repeat(32)}`);
const time = new Date('2025-06-01T12:00:00Z');
const registration = { service: 'https://curvet.example', chainId: 84532, wallet: signer.address, time };

const refused = (run: () => void) =>
  expect(run).to.throw(AppError, 'Registration signature is not valid').with.property('code', 'SIGNATURE_INVALID');

describe('the registration signature', () => {
  it('signs a fixed text', () => {
    expect(registrationMessage(registration)).to.equal(
      [
        'Curvet agent registration',
        'Service: https://curvet.example',
        'Chain ID: 84532',
        'Wallet: 0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a',
        'Time: 2025-06-01T12:00:00.000Z',
      ].join('\n'),
    );
  });

  it('accepts the signature of the wallet, in lower case or checksum case', async () => {
    const signature = await signer.signMessage(registrationMessage(registration));
    checkSignature(registration, signature);
    checkSignature({ ...registration, wallet: signer.address.toLowerCase() }, signature);
  });

  it('refuses the signature of another message or another wallet', async () => {
    const signature = await signer.signMessage(registrationMessage(registration));
    refused(() => checkSignature({ ...registration, service: 'https://other.example' }, signature));
    refused(() => checkSignature({ ...registration, chainId: 1 }, signature));
    refused(() => checkSignature({ ...registration, time: new Date(time.getTime() + 1) }, signature));
    refused(() => checkSignature({ ...registration, wallet: `0x${'22'.repeat(20)}` }, signature));
    const stranger = new Wallet(`0x${'33'.repeat(32)}`);
    const theirs = await stranger.signMessage(registrationMessage(registration));
    refused(() => checkSignature(registration, theirs));
  });

  for (const signature of ['', '0x', 'nonsense', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`]) {
    it(`refuses the malformed signature ${JSON.stringify(signature.slice(0, 12))}`, () => {
      refused(() => checkSignature(registration, signature));
    });
  }

  it('is valid from 1 minute before to 10 minutes after its time', () => {
    const at = (seconds: number) => () => checkSignatureAge(time, new Date(time.getTime() + seconds * 1000));
    for (const seconds of [-60, 0, 600]) expect(at(seconds), `${seconds} s`).not.to.throw();
    for (const seconds of [-60.001, 600.001, 86_400]) refused(at(seconds));
    refused(() => checkSignatureAge(new Date('nonsense'), time));
  });
});
