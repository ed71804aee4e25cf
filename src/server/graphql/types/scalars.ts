import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { GraphQLDateTimeISO } from 'graphql-scalars';
import { AppError } from '../../../errors/errors.js';
import { formatEth, parseEth, type Wei } from '../../../values/money.js';
import { isoTime } from '../../../values/time.js';
import { EXPECTED_TIME, isAcceptedTime } from '../../inputs.js';

/** Creates a scalar that is a string in JSON. The client sees the message of the error that `parse` throws. */
function textScalar<T>(options: {
  readonly name: string;
  readonly description: string;
  readonly serialize: (value: unknown) => string;
  readonly parse: (text: string) => T;
}): GraphQLScalarType {
  const { parse, ...config } = options;
  const read = (value: unknown, nodes?: ValueNode): T => {
    try {
      if (typeof value === 'string') return parse(value);
      throw expected(options.name, 'a string');
    } catch (error) {
      // graphql-js would prepend text to the message of any other error, so the error is wrapped in a GraphQLError.
      throw new GraphQLError((error as Error).message, { nodes, originalError: error as Error });
    }
  };
  return new GraphQLScalarType({
    ...config,
    parseValue: (value) => read(value),
    parseLiteral: (node) => read(node.kind === Kind.STRING ? node.value : null, node),
  });
}

const expected = (field: string, what: string) => new AppError('INVALID_FIELD', { field, expected: what });

export const WeiScalar = textScalar<Wei>({
  name: 'Wei',
  description: 'Amount in wei, as a decimal string of digits. A loss begins with a minus sign. Arguments are never negative.',
  serialize: String,
  parse(text) {
    if (!/^\d{1,78}$/.test(text)) throw expected('Wei', 'a decimal string of digits');
    return BigInt(text);
  },
});

export const Eth = textScalar<Wei>({
  name: 'Eth',
  description:
    'Amount in ETH, as a decimal string without exponent and trailing zeros. A loss begins with a minus sign. Arguments are never negative.',
  serialize: (value) => (typeof value === 'bigint' ? formatEth(value) : String(value)),
  parse(text) {
    const wei = parseEth(text);
    if (wei === null) throw expected('Eth', 'an amount in ETH such as 0.002');
    return wei;
  },
});

export const Address = textScalar<string>({
  name: 'Address',
  description: 'Wallet address: 0x and 40 hexadecimal digits. Lower case in answers, any case in arguments.',
  serialize: String,
  parse(text) {
    if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new AppError('INVALID_ADDRESS');
    return text.toLowerCase();
  },
});

/** Maximum length of a reference to an agent, in characters. All wallet addresses, agentIds and names are shorter. */
const MAX_REFERENCE = 100;

export const AgentRef = textScalar<string>({
  name: 'AgentRef',
  description: 'Reference to an agent: its wallet address, its agentId or its name. Case is ignored.',
  serialize: String,
  parse(text) {
    if (text.trim() === '' || text.length > MAX_REFERENCE) {
      throw expected('AgentRef', 'the wallet address, agentId or name of an agent');
    }
    return text;
  },
});

export const Hash = textScalar<string>({
  name: 'Hash',
  description: 'Transaction hash: 0x and 64 hexadecimal digits.',
  serialize: String,
  parse(text) {
    if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw new AppError('INVALID_TX_HASH');
    return text.toLowerCase();
  },
});

export const DateTime = textScalar<Date>({
  name: 'DateTime',
  description: 'Time in ISO 8601. Answers are in UTC with milliseconds. Arguments accept the years 1970 to 9999.',
  serialize: (value) => (value instanceof Date ? isoTime(value) : String(value)),
  parse(text) {
    try {
      const time = GraphQLDateTimeISO.parseValue(text) as Date;
      if (isAcceptedTime(time)) return time;
    } catch {}
    throw expected('DateTime', EXPECTED_TIME);
  },
});
