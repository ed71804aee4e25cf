import { expect } from 'chai';
import { printType } from 'graphql';
import { Arg, Args, Query, Resolver } from 'type-graphql';
import { z } from 'zod';
import { buildSchema } from '../../../../src/server/graphql/schema.js';
import { argumentsOf, inputObject, readArguments } from '../../../../src/server/graphql/types/inputs.js';
import { registerEnum } from '../../../../src/server/graphql/types/object-types.js';
import * as field from '../../../../src/server/inputs.js';
import { enumeration } from '../../../../src/server/resources/types.js';
import { refusedBy } from '../../../support/refused.js';

const size = enumeration('TestSize', 'A size.', { SMALL: ['s', 'Small.'], LARGE: ['l', 'Large.'] });
registerEnum(size);

const input = z.object({
  text: field.anyText().describe('A text.'),
  count: field.integer(1, 9).default(3).describe('A number.'),
  share: z.number().optional().describe('A share.'),
  flag: field.trueOrFalse().nullable().optional().describe('A flag.'),
  wallet: field.walletAddress().describe('A wallet.'),
  hash: field.txHash().optional().describe('A hash.'),
  time: field.timeText().optional().describe('A time.'),
  price: field.ethText().optional().describe('A price.'),
  size: field.oneOfEnum(size).default('l').describe('A size.'),
  named: field
    .anyText()
    .meta({ description: 'A name or an id.', graphql: { of: 'ID', description: 'An id.' } })
    .optional(),
  fixed: z.never().optional(),
});

describe('the GraphQL arguments of an input', () => {
  const Arguments = argumentsOf(input);
  // Calls the decorators of type-graphql as functions: `ask` is a query that takes the arguments of `input`.
  class Queries {}
  Object.defineProperty(Queries.prototype, 'ask', { value: () => 'answer' });
  Query(() => String)(Queries.prototype, 'ask', {});
  Args(() => Arguments)(Queries.prototype, 'ask', 0);
  Resolver()(Queries);

  it('have the types, defaults and descriptions of the fields that accept a value', () => {
    const schema = buildSchema([{ resolvers: [Queries] }], { KEY_REPLACEMENT: 'off' });
    const { args = [] } = schema.getQueryType()?.getFields().ask ?? {};
    const printed = args.map(({ name, type, defaultValue = '', description }) =>
      `${name}: ${type} ${defaultValue} ${description}`.replace('  ', ' '),
    );
    expect(printed).to.deep.equal([
      'text: String! A text.',
      'count: Int! 3 A number.',
      'share: Float A share.',
      'flag: Boolean A flag.',
      'wallet: Address! A wallet.',
      'hash: Hash A hash.',
      'time: DateTime A time.',
      'price: Eth A price.',
      'size: TestSize! l A size.',
      'named: ID An id.',
    ]);
  });

  const wallet = `0x${'AB'.repeat(20)}`;
  const read = (given: object) => readArguments(input, { text: 'x', wallet, ...given }, 'INVALID_QUERY');

  it('are parsed as by REST, and count as omitted if null, unless the field takes null', () => {
    const given = { count: 9, share: null, flag: null, price: 2_000_000_000_000_000n, time: new Date(0), size: 's' };
    expect(read(given)).to.deep.equal({
      text: 'x',
      wallet: wallet.toLowerCase(),
      count: 9,
      flag: null,
      price: 2_000_000_000_000_000n,
      time: new Date(0),
      size: 's',
    });
  });

  it('are refused with the code of the field, or else of the query, also if they are empty', () => {
    expect(refusedBy(() => read({ wallet: '0x1' })).code).to.equal('INVALID_ADDRESS');
    expect(refusedBy(() => read({ wallet: '' })).code).to.equal('INVALID_ADDRESS');
    expect(refusedBy(() => read({ count: 10 })).code).to.equal('INVALID_QUERY');
    expect(refusedBy(() => read({ text: '$' })).code).to.equal('INVALID_CHARACTERS');
  });

  it('may stand in an input object', () => {
    const { Input } = inputObject('TestInput', 'An input.', input.pick({ text: true, share: true }));
    class Asking {}
    Object.defineProperty(Asking.prototype, 'ask', { value: () => 'answer' });
    Query(() => String)(Asking.prototype, 'ask', {});
    Arg('input', () => Input)(Asking.prototype, 'ask', 0);
    Resolver()(Asking);
    const schema = buildSchema([{ resolvers: [Asking] }], { KEY_REPLACEMENT: 'off' });
    const type = schema.getType('TestInput');
    expect(type && printType(type)).to.equal(
      '"""An input."""\ninput TestInput {\n  """A text."""\n  text: String!\n\n  """A share."""\n  share: Float\n}',
    );
  });
});
