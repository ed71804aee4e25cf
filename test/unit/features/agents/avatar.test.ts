import { expect } from 'chai';
import fc from 'fast-check';
import { AppError } from '../../../../src/errors/errors.js';
import { checkAvatarUrl } from '../../../../src/features/agents/rules.js';
import { codeOf } from '../../../support/refused.js';

const code = (url: string): string => codeOf(() => checkAvatarUrl(url));

type Ip = readonly [number, number, number, number];

const hex = (value: number) => value.toString(16);
const number = ([a, b, c, d]: Ip) => ((a * 256 + b) * 256 + c) * 256 + d;
const digits = (text: string, one: number, zero: number) =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(digit === '0' ? zero : one - 1 + Number(digit)));

/** The ways to write an IPv4 address that URL parsers and networks accept. */
const spellings: Record<string, (ip: Ip) => string> = {
  dotted: (ip) => ip.join('.'),
  'with a final dot': (ip) => `${ip.join('.')}.`,
  decimal: (ip) => `${number(ip)}`,
  hexadecimal: (ip) => `0x${hex(number(ip))}`,
  octal: (ip) => `0${number(ip).toString(8)}`,
  'dotted hexadecimal': (ip) => ip.map((part) => `0x${hex(part)}`).join('.'),
  'dotted octal': (ip) => ip.map((part) => `00${part.toString(8)}`).join('.'),
  'two parts': ([a, ...rest]) => `${a}.${number([0, ...rest] as unknown as Ip)}`,
  'three parts': ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  'full-width digits': (ip) => digits(ip.join('.'), 0xff11, 0xff10),
  'circled digits': (ip) => digits(ip.join('.'), 0x2460, 0x24ea),
  'ideographic full stops': (ip) => ip.join('。'),
  'percent-encoded': (ip) => ip.join('%2E'),
  'IPv6-mapped': (ip) => `[::ffff:${ip.join('.')}]`,
  'IPv6-compatible': (ip) => `[::${ip.join('.')}]`,
  NAT64: (ip) => `[64:ff9b::${ip.join('.')}]`,
  'local NAT64': (ip) => `[64:ff9b:1::${ip.join('.')}]`,
  '6to4': ([a, b, c, d]) => `[2002:${hex(a * 256 + b)}:${hex(c * 256 + d)}::1]`,
  Teredo: ([a, b, c, d]) => `[2001:0:4136:e378:8000:63bf:${hex((a * 256 + b) ^ 0xffff)}:${hex((c * 256 + d) ^ 0xffff)}]`,
};

/** The ranges of IPv4 addresses that are not public. */
const reserved: Record<string, readonly [first: string, last: string]> = {
  'this network': ['0.0.0.0', '0.255.255.255'],
  'private 10/8': ['10.0.0.0', '10.255.255.255'],
  CGNAT: ['100.64.0.0', '100.127.255.255'],
  loopback: ['127.0.0.0', '127.255.255.255'],
  'link-local': ['169.254.0.0', '169.254.255.255'],
  'private 172.16/12': ['172.16.0.0', '172.31.255.255'],
  'protocol assignments': ['192.0.0.0', '192.0.0.255'],
  'documentation 1': ['192.0.2.0', '192.0.2.255'],
  '6to4 relays': ['192.88.99.0', '192.88.99.255'],
  'private 192.168/16': ['192.168.0.0', '192.168.255.255'],
  benchmarking: ['198.18.0.0', '198.19.255.255'],
  'documentation 2': ['198.51.100.0', '198.51.100.255'],
  'documentation 3': ['203.0.113.0', '203.0.113.255'],
  multicast: ['224.0.0.0', '239.255.255.255'],
  'reserved and broadcast': ['240.0.0.0', '255.255.255.255'],
};

const parse = (text: string) => text.split('.').map(Number) as unknown as Ip;
const format = (value: number): Ip => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255) as unknown as Ip;

describe('the check of avatar URLs', () => {
  const accepted: Record<string, string> = {
    'https://example.com': 'https://example.com/',
    'https://cdn.example.com/a/b.png?size=2#x': 'https://cdn.example.com/a/b.png?size=2#x',
    'HTTPS://Example.COM:443/A.png': 'https://example.com/A.png',
    'https://example.com./a.png': 'https://example.com./a.png',
    'https://例え.jp/ä.png': 'https://xn--r8jz45g.jp/%C3%A4.png',
    'https://under_score.example.com/': 'https://under_score.example.com/',
    'https://localhost.example.com/': 'https://localhost.example.com/',
    'https://example.com/?u=https://127.0.0.1/': 'https://example.com/?u=https://127.0.0.1/',
    'https://example.com/@user/a.png': 'https://example.com/@user/a.png',
    'https://8.8.8.8/a.png': 'https://8.8.8.8/a.png',
    'https://0x8.010.1028/': 'https://8.8.4.4/',
    'https://⑧.８。8.8/': 'https://8.8.8.8/',
    'https://[2606:4700:0:0::1111]/': 'https://[2606:4700::1111]/',
  };
  for (const [url, stored] of Object.entries(accepted)) {
    it(`normalises ${url} to ${stored}`, () => expect(checkAvatarUrl(url)).to.equal(stored));
  }

  const notHttps = [
    '',
    'example.com/a.png',
    'http://example.com/',
    'ftp://example.com/',
    'data:image/png;base64,AA==',
    'javascript:alert(1)',
    '//example.com/',
    'https:example.com',
    'https:/example.com',
    ' https://example.com/',
    'https:\\\\example.com',
    'ht\ntps://example.com/',
  ];
  for (const url of notHttps) {
    it(`refuses ${JSON.stringify(url)} because it is not HTTPS`, () => expect(code(url)).to.equal('AVATAR_NOT_HTTPS'));
  }

  const noPublicHosts = `database wiki.intranet app.private mail.corp router.home localhost localhost. ⓛⓞⓒⓐⓛⓗⓞⓢⓣ app.localhost
    localhost.localdomain printer.local printer。local metadata.google.internal router.home.arpa nas.lan abc.onion
    example..com .example.com example.com.. -example.com exa(m)ple.com 256.256.256.256 example.1 [::1 [fe80::1%25eth0]
    user@example.com user:secret@example.com @example.com :@example.com example.com:8443 example.com:0
    example.com\\@127.0.0.1 exam\u00adple.com`;
  const deceptive = ['\\', ' ', '\t', '\n', '\u0000', '\u007f', '\u00a0', '\u202e', '\ud800'];
  const notAllowed = [
    'https://',
    'https:///example.com/',
    'https://?a',
    'https://example.com/ ',
    ...noPublicHosts.split(/\s+/).map((host) => `https://${host}/`),
    ...deceptive.map((sign) => `https://example.com/a${sign}b`),
  ];
  for (const url of notAllowed) {
    it(`refuses ${JSON.stringify(url)}`, () => expect(code(url)).to.equal('AVATAR_NOT_ALLOWED'));
  }

  it('refuses more than 500 characters, counted before and after normalisation', () => {
    const url = `https://example.com/${'a'.repeat(480)}`;
    expect(checkAvatarUrl(url)).to.have.length(500);
    expect(code(`${url}a`)).to.equal('FIELD_TOO_LONG');
    // The first URL is short after its normalisation. The second is short before it: `é` becomes the six characters %C3%A9.
    expect(code(`https://example.com/${'a/../'.repeat(97)}`)).to.equal('FIELD_TOO_LONG');
    expect(code(`https://example.com/${'é'.repeat(100)}`)).to.equal('FIELD_TOO_LONG');
    expect(() => checkAvatarUrl(`${url}a`))
      .to.throw(AppError, 'avatarUrl is too long')
      .with.property('hint')
      .includes('500');
  });

  for (const [range, [first, last]] of Object.entries(reserved)) {
    it(`refuses ${range} from ${first} to ${last} in every spelling`, () => {
      const inside = fc.integer({ min: number(parse(first)), max: number(parse(last)) });
      const examples: [number][] = [[number(parse(first))], [number(parse(last))]];
      const property = fc.property(inside, (value) => {
        for (const [name, spell] of Object.entries(spellings)) {
          const url = `https://${spell(format(value))}/a.png`;
          expect(code(url), `${name}: ${url}`).to.equal('AVATAR_NOT_ALLOWED');
        }
      });
      fc.assert(property, { examples, numRuns: 20 });
    });
  }

  it('accepts the IPv4 addresses next to the reserved ranges', () => {
    const ranges = Object.values(reserved).map(([first, last]) => [number(parse(first)), number(parse(last))] as const);
    const next = ranges
      .flatMap(([first, last]) => [first - 1, last + 1])
      .filter((ip) => ip >= 0 && ip < 2 ** 32 && !ranges.some(([first, last]) => first <= ip && ip <= last))
      .map((ip) => format(ip).join('.'));
    expect(next).to.include.members(['9.255.255.255', '11.0.0.0', '128.0.0.0', '223.255.255.255']);
    for (const ip of next) expect(code(`https://${ip}/`), ip).to.equal('accepted');
  });

  const ipv6 = `:: ::1 100::1 fc00::1 fdff::1 fe80::1 febf::1 fec0::1 ff02::1 4000::1 1fff::1 2001:2::1 2001:10::1
    2001:db8::1 3fff::1 5f00::1 ::ffff:0:127.0.0.1 64:ff9b::8.8.8.8 0:0:0:0:0:0:0:1
    0000:0000:0000:0000:0000:0000:7f00:0001 FE80::A`;
  for (const address of ipv6.split(/\s+/)) {
    it(`refuses the IPv6 address [${address}]`, () => expect(code(`https://[${address}]/`)).to.equal('AVATAR_NOT_ALLOWED'));
  }

  it('accepts its own normal form and does not change it again', () => {
    const part = fc.string({ unit: fc.constantFrom(...'aZ0１①.。-_@:/?#%\\[] ü', 'localhost', '127.0.0.1', '.local') });
    fc.assert(
      fc.property(part, part, (host, path) => {
        const url = `https://${host}/${path}`;
        if (code(url) !== 'accepted') return;
        const stored = checkAvatarUrl(url);
        expect(checkAvatarUrl(stored)).to.equal(stored);
        expect(stored).to.match(/^https:\/\/[^/@\s]+\/[!-~]*$/);
      }),
      { numRuns: 1000 },
    );
  });
});
