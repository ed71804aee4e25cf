import { expect } from 'chai';
import { AppError } from '../../../src/errors.js';
import {
  identityOf,
  type KeyedWrite,
  parseIdempotencyKey,
  seal,
  unseal,
} from '../../../src/server/idempotency/keys.js';

const parse = (text: string) => parseIdempotencyKey(text, 'Idempotency-Key');

describe('an idempotency key', () => {
  it('is bare or quoted', () => {
    for (const bare of ['abc', 'a"b', '${~!', 'x'.repeat(255)]) expect(parse(bare)).to.equal(bare);
    expect(parse(`"${'x'.repeat(255)}"`)).to.have.length(255);
    expect(parse('"a\\"b\\\\c"')).to.equal('a"b\\c');
  });

  it('is refused if it is empty, too long, or has other characters', () => {
    for (const text of ['', '""', '"', '"a', 'x'.repeat(256), 'a b', '"a b"', 'a\tb', 'é', '"a";b', '"a\\b"', 'a, b']) {
      expect(() => parse(text), text)
        .to.throw(AppError, 'Idempotency-Key is not valid')
        .with.property('hint', 'Send Idempotency-Key as 1 to 255 visible ASCII characters.');
    }
  });
});

describe('the identity of a write', () => {
  const write: KeyedWrite = { key: 'k', caller: 'c', operation: 'o', content: 't' };
  const { id, caller, content, cipherKey } = identityOf('secret', write);

  it('keeps caller and operation apart', () => {
    expect(identityOf('secret', { ...write, caller: 'c,', operation: 'o' }).id).not.to.deep.equal(
      identityOf('secret', { ...write, caller: 'c', operation: ',o' }).id,
    );
  });

  it('cannot be guessed without the key of the service', () => {
    const other = identityOf('another', write);
    expect(other.id.equals(id) || other.caller.equals(caller) || other.content.equals(content)).to.equal(false);
    expect(other.cipherKey.equals(cipherKey)).to.equal(false);
  });
});

describe('a sealed answer', () => {
  const identity = identityOf('secret', { key: 'k', caller: 'c', operation: 'o', content: 't' });
  const answer = Buffer.from('{"apiKey":"shown once"}');

  it('opens only with the idempotency key, and only unchanged', () => {
    const sealed = seal(identity, answer);
    expect(sealed.includes('shown')).to.equal(false);
    expect(unseal(identity, sealed)).to.deep.equal(answer);
    expect(seal(identity, answer)).not.to.deep.equal(sealed);
    const other = identityOf('secret', { key: 'x', caller: 'c', operation: 'o', content: 't' });
    expect(() => unseal(other, sealed)).to.throw();
    expect(() => unseal({ ...identity, id: other.id }, sealed)).to.throw();
    for (const place of [0, 12, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[place] = (changed[place] ?? 0) ^ 1;
      expect(() => unseal(identity, changed), String(place)).to.throw();
    }
  });
});
