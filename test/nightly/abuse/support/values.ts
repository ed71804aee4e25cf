import type { JsonSchema } from '../../../../src/server/json-schema.js';
import type { Dice } from './dice.js';
import type { Member, Population } from './population.js';

/** Texts that parsers, databases, logs and patterns of paths may treat in a special way. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  '\t',
  '..',
  '../../etc/passwd',
  '%00',
  '%2e%2e%2f',
  '\u0000',
  '\ud800',
  '\ufeff',
  '\u202ereversed',
  'ﷺ'.repeat(60),
  '👩‍👩‍👧‍👦'.repeat(10),
  'a\u0301'.repeat(50),
  "' or 1=1 --",
  '"; drop table agent; --',
  '$1',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'true',
  'NaN',
  'Infinity',
  '-0',
  '-1',
  '0x',
  '1e400',
  '1.5',
  '9'.repeat(80),
  '2147483648',
  '9223372036854775808',
  '0000-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
  '2026-02-30T00:00:00Z',
  'infinity',
  `0x${'0'.repeat(40)}`,
  `0x${'f'.repeat(40)}`,
  `0x${'g'.repeat(40)}`,
  `0X${'A'.repeat(40)}`,
  `0x${'0'.repeat(64)}`,
  'x'.repeat(300),
  'x'.repeat(9000),
  'me',
  '*',
  '[]',
  '{}',
  '\r\nX-Injected: 1',
];
const HOSTILE_VALUES = [null, true, false, 0, -1, 1.5, 1e21, 2 ** 31, 2 ** 53, [], [[]], {}, { a: {} }, { $ne: null }];
const WORDS = ['ticket', 'market', 'curve', 'holds', 'buy', 'sell', 'calm', 'Scout', 'é', '日本', '🙂'];

/** Generates values of arguments and fields: plausible ones, so that requests pass the checks of the input, and hostile ones. */
export class Values {
  /** The agent whose key the request has. Some operations only accept the wallet or the code of this agent. */
  caller: Member | undefined;

  constructor(
    private readonly dice: Dice,
    private readonly population: Population,
    private readonly components: Readonly<Record<string, JsonSchema>>,
  ) {}

  hostile(): unknown {
    return this.dice.chance(0.7) ? this.hostileText() : this.dice.pick(HOSTILE_VALUES);
  }
  hostileText(): string {
    return this.dice.pick(HOSTILE_TEXTS);
  }

  /** Generates a value that the OpenAPI schema accepts in most cases. */
  plausible(name: string, schema: JsonSchema): unknown {
    const { dice } = this;
    const resolved = this.#resolved(schema);
    const { type, enum: choices, const: constant, anyOf } = resolved as { [keyword: string]: unknown };
    if (constant !== undefined) return constant;
    if (Array.isArray(choices)) return dice.pick(choices);
    if (Array.isArray(anyOf)) return this.plausible(name, dice.pick(anyOf));
    const kind = Array.isArray(type) ? dice.pick(type) : type;
    if (kind === 'integer' || kind === 'number') return this.#number(resolved, kind === 'integer');
    if (kind === 'boolean') return dice.chance(0.5);
    if (kind === 'null') return null;
    if (kind === 'object') return this.#object(resolved);
    if (kind === 'array') return [this.plausible(name, (resolved.items ?? {}) as JsonSchema)].slice(dice.below(2));
    return this.text(name, resolved);
  }

  /** Generates a text that suits the name of its field or argument. */
  text(name: string, { format, maxLength }: JsonSchema = {}): string {
    const { dice, population } = this;
    const member = (): Member => dice.pick(population.members);
    if (format === 'date-time' || /time|before|signedAt/i.test(name)) {
      return new Date(Date.now() - dice.below(2_000_000_000)).toISOString();
    }
    if (this.caller && /^(walletAddress|code|verificationCode)$/.test(name) && dice.chance(0.6)) {
      return name === 'walletAddress' ? this.caller.wallet : this.caller.code;
    }
    if (/agentId|referredBy/i.test(name)) return member().agentId;
    if (/address|wallet|^agent$|^trader$/i.test(name)) {
      return dice.chance(0.15) ? dice.pick([member().agentId, member().name]) : member().wallet;
    }
    if (/hash/i.test(name)) return dice.pick(population.hashes);
    if (/^(id|postId)$/.test(name)) return dice.pick(population.posts);
    if (/code/i.test(name)) return `CURVET-_${dice.below(900) + 100}`;
    if (/tweetUrl/.test(name)) return `https://x.com/owner/status/${dice.below(1_000_000) + 1}`;
    if (/url/i.test(name)) return 'https://example.com/a.png';
    if (/^(name|search|q)$/.test(name)) return dice.chance(0.5) ? member().name : member().name.slice(0, 3);
    if (/price|wei/i.test(name)) return `0.00${dice.below(900) + 1}`;
    const words = Array.from({ length: 1 + dice.below(6) }, () => dice.pick(WORDS)).join(' ');
    return words.slice(0, Math.max(1, Number(maxLength ?? 60)));
  }

  #resolved(schema: JsonSchema): JsonSchema {
    const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
    return name === undefined ? schema : (this.components[name] ?? {});
  }

  #number({ minimum, maximum }: JsonSchema, whole: boolean): number {
    const [low, high] = [Number(minimum ?? 0), Math.min(Number(maximum ?? 1000), Number(minimum ?? 0) + 30)];
    const number = this.dice.chance(0.1) ? this.dice.pick([low, high]) : low + this.dice.below(high - low + 1);
    return whole ? number : number / 2;
  }

  #object({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> {
    const given = Object.entries(properties).filter(([name, schema]) => {
      // The schema `not: {}` accepts no value, so requests rarely have a field with it.
      if (schema.not !== undefined) return this.dice.chance(0.02);
      return required.includes(name) || this.dice.chance(0.5);
    });
    return Object.fromEntries(given.map(([name, schema]) => [name, this.plausible(name, schema)]));
  }
}
