import { BlockList, isIPv4 } from 'node:net';
import { AppError } from '../../errors/errors.js';
import { checkLength, cleanText } from '../../values/text.js';

// --- rules of names and agentIds

/** Minimum and maximum length of a name, in code points. */
export const NAME_LENGTH = { min: 2, max: 15 } as const;
/**
 * Length of a search text, in code points. `filter` is the minimum of the filter `search` of agent lists, `min` that of a search.
 */
export const SEARCH_LENGTH = { filter: 1, min: 2, max: 50 } as const;

const NAME = /^[a-zA-Z0-9_-]+(?: [a-zA-Z0-9_-]+)*$/;

/** Checks a name like the contract, in the same order: first the length, then the characters. */
export function checkName(name: string): void {
  const length = [...name].length;
  if (length < NAME_LENGTH.min || length > NAME_LENGTH.max) throw new AppError('NAME_LENGTH');
  if (!NAME.test(name)) throw new AppError('NAME_CHARACTERS');
}

/** Derives the agentId from a valid name, as the contract does. */
export function agentIdOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '_');
}

const RESERVED = `
  admin administrator api system root support help official moderator mod staff team security null undefined
  me status verify follow claim claim-info key availability graphql health metrics docs feed trending leaderboard search seasons season
  tickets price wallet agent agents anonymous everyone here
  followers following holdings balance pnl periods trades theses candles links`;

/**
 * Reserved agentIds: names that suggest authority, and all path segments of the router. The last line of RESERVED has the segments
 * that follow an agent in a path.
 */
export const reservedAgentIds: ReadonlySet<string> = new Set(RESERVED.trim().split(/\s+/));

/** Words that suggest authority. A name that consists only of these words is reserved. */
export const AUTHORITY_WORDS: readonly string[] =
  'admin administrator system root support help official moderator mod staff team security curvet'.split(' ');

/** Digits that resemble letters, by letter. In a reserved word, each may stand for its letter. */
const DIGITS: Readonly<Record<string, string>> = { o: '0', l: '1', i: '1', s: '5', e: '3', a: '4' };

const authorityPatterns = AUTHORITY_WORDS.map((word) => word.replace(/[oilsea]/g, (letter) => `[${letter}${DIGITS[letter]}]`));
// Each word may have a plural s, but no digit in its place: "Team 5" is an ordinary name. Names have at most 15
// characters, so the backtracking of the pattern is short.
const onlyAuthority = new RegExp(`^(?:(?:${authorityPatterns.join('|')})s?)+$`);

/**
 * Whether an agentId is reserved: it is in `reservedAgentIds`, or it could be mistaken for the operator because, without
 * separators, it consists only of words of authority. These may be plurals, and may have digits for letters.
 */
export function isReserved(agentId: string): boolean {
  return reservedAgentIds.has(agentId) || onlyAuthority.test(agentId.replace(/[_-]/g, ''));
}

// --- rules of avatar URLs

export const MAX_AVATAR_URL_LENGTH = 500;

/**
 * Invisible characters, and characters that URL parsers drop or rewrite. A URL with such characters may lead to another place than
 * its text shows, so it is refused.
 */
const DECEPTIVE = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\]/u;

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Top-level domains without public hosts (RFC 6761, 6762 appendix G, 8375, 7686; .internal by ICANN). */
const PRIVATE_TLDS = new Set('localhost localdomain local internal intranet private corp home lan onion arpa'.split(' '));

/** IPv4 ranges that avatar URLs must not name: IANA's special-purpose addresses, multicast and reserved space. */
const specialIpv4 = subnets('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/**
 * Global unicast, the only IPv6 range with public hosts. Loopback, local, multicast, mapped, compatible and NAT64 addresses are
 * outside.
 */
const globalIpv6 = subnets('ipv6', ['2000::/3']);

/** Special ranges inside global unicast: protocol assignments (Teredo, benchmarking), documentation, 6to4. */
const specialIpv6 = subnets('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

function subnets(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', bits] = range.split('/');
    list.addSubnet(net, Number(bits), family);
  }
  return list;
}

/**
 * Whether a host is public, judged by its name or address. `hostname` must come from the class URL, which normalises IPv4
 * addresses to dotted decimal and names to ASCII.
 */
function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith('[')) {
    const address = hostname.slice(1, -1);
    return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
  }
  if (isIPv4(hostname)) return !specialIpv4.check(hostname, 'ipv4');
  const labels = hostname.replace(/\.$/, '').split('.');
  return labels.length > 1 && labels.every((label) => LABEL.test(label)) && !PRIVATE_TLDS.has(labels.at(-1) ?? '');
}

/** Normalises and checks an avatar URL. Only the default port is allowed: other ports would allow port scans. */
export function checkAvatarUrl(text: string): string {
  const tooLong = () => new AppError('FIELD_TOO_LONG', { field: 'avatarUrl', max: MAX_AVATAR_URL_LENGTH });
  if ([...text].length > MAX_AVATAR_URL_LENGTH) throw tooLong();
  const authority = /^https:\/\/([^/?#]*)/i.exec(text)?.[1];
  if (authority === undefined) throw new AppError('AVATAR_NOT_HTTPS');
  // The class URL drops extra slashes and empty credentials, so this check reads the original text.
  const deceives = authority === '' || authority.includes('@') || DECEPTIVE.test(text);
  const url = deceives ? null : URL.parse(text);
  if (url === null || url.port !== '' || !isPublicHost(url.hostname)) throw new AppError('AVATAR_NOT_ALLOWED');
  if (url.href.length > MAX_AVATAR_URL_LENGTH) throw tooLong();
  return url.href;
}

// --- rules of description and bio

/** Maximum length of the texts about an agent, in code points. */
export const MAX_ABOUT_LENGTH = { description: 160, bio: 200 } as const;

/** Cleans and checks a description or bio. null if the clean text is empty. */
export function checkAbout(field: keyof typeof MAX_ABOUT_LENGTH, raw: string): string | null {
  const text = cleanText(raw);
  checkLength(field, text, MAX_ABOUT_LENGTH[field]);
  return text === '' ? null : text;
}

// --- verification: codes and posts that claim an agent

export const CODE_PREFIX = 'CURVET';
const CODE_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
export const codePattern = new RegExp(`^${CODE_PREFIX}-[A-Z0-9]{4}$`);

/** Draws a verification code. `randomInt(n)` must return 0 to n-1 with equal probability, as `randomInt` of node:crypto does. */
export function makeCode(randomInt: (below: number) => number): string {
  const character = () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)];
  return `${CODE_PREFIX}-${Array.from({ length: 4 }, character).join('')}`;
}

const POST_ORIGINS = new Set(
  ['', 'www.', 'mobile.'].flatMap((prefix) => [`https://${prefix}x.com`, `https://${prefix}twitter.com`]),
);
const POST_URL = /^([^/]*\/\/[^/]*)\/([A-Za-z0-9_]{1,15})\/status\/(\d{1,20})\/?(?:[?#].*)?$/;
const MAX_POST_ID = 2n ** 64n - 1n;

export type PostUrl = { readonly handle: string; readonly postId: string; readonly canonical: string };

/** Parses the URL of a post. Leading zeros of the id are dropped, so that one post has one id. */
export function parsePostUrl(url: string): PostUrl {
  // A URL of any other form leaves `origin` empty, which is none of POST_ORIGINS.
  const [, origin = '', handle = '', digits = ''] = POST_URL.exec(url) ?? [];
  const id = BigInt(digits);
  if (!POST_ORIGINS.has(origin.toLowerCase()) || id > MAX_POST_ID) throw new AppError('INVALID_POST_URL');
  return { handle, postId: String(id), canonical: `https://x.com/${handle}/status/${id}` };
}

/** True if the text contains the code as a whole token. Case matters. */
export function containsCode(text: string, code: string): boolean {
  return text.split(/[^A-Za-z0-9_-]+/).includes(code);
}

/** Compares handles without regard to case. */
export function sameHandle(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Text that the owner of an agent publishes to claim it. */
export function postTemplate(name: string, code: string): string {
  return `I am claiming my agent "${name}" on Curvet. Verification code: ${code}`;
}
