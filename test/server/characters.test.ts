import { expect } from 'chai';
import { AppError } from '../../src/errors.js';
import { refuseCharacters } from '../../src/server/fields.js';

describe('the check for forbidden characters', () => {
  for (const text of ['$', 'price in $', '{', 'a{b', '\0', 'a\0b', '\n$']) {
    it(`refuses ${JSON.stringify(text)} and names the field`, () => {
      expect(() => refuseCharacters('bio', text))
        .to.throw(AppError, 'bio contains invalid characters')
        .with.property('code', 'INVALID_CHARACTERS');
    });
  }

  it('accepts all other characters', () => {
    expect(() => refuseCharacters('bio', 'a }<>€"\'\\\n\t é😀 0')).not.to.throw();
  });
});
