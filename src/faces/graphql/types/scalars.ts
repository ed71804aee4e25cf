import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { GraphQLDateTimeISO } from 'graphql-scalars';
import { AppError } from '../../../errors.js';
import { formatEth, parseEth, type Wei as WeiAmount } from '../../../money.js';
import { isoTime } from '../../../time.js';
import { EXPECTED_TIME, isAcceptedTime } from '../../http/times.js';

/** Creates a scalar that is a string in JSON. The client sees the message of the error that `parse` throws. */
function textScalar<T>(options: {
  readonly name: string;
  readonly description: string;
  readonly serialize: (value: unknown) => string;
  readonly parse: (text: string) => T;
}): GraphQLScalarType {
  const { parse, ...config } = options;
  const read = (value: unknown): T => {
    try {
      if (typeof value === 'string') return parse(value);
      throw expected(options.name, 'a string');
    } catch (error) {
      // graphql-js prepends text to the message of any error that is not a GraphQLError.
      throw new GraphQLError((error as Error).message, { originalError: error as Error });
    }
  };
  return new GraphQLScalarType({
    ...config,
    parseValue: read,
    parseLiteral: (node) => read(node.kind === Kind.STRING ? node.value : null),
  });
}

const expected = (field: string, what: string) => new AppError('INVALID_FIELD', { field, expected: what });

export const Wei = textScalar<WeiAmount>({
  name: 'Wei',
  description: 'Amount in wei, as a decimal string of digits.',
  serialize: String,
  parse(text) {
    if (!/^\d{1,78}$/.test(text)) throw expected('Wei', 'a decimal string of digits');
    return BigInt(text);
  },
});

export const Eth = textScalar<WeiAmount>({
  name: 'Eth',
  description: 'Amount in ETH, as a decimal string without exponent and trailing zeros.',
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

export const Hash = textScalar<string>({
  name: 'Hash',
  description:
    'Transaction hash: 0x and 64 hexadecimal digits. In feed events, it is shortened to 8 digits and … without an API key.',
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
