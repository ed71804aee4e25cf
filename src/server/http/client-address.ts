import { isIP, SocketAddress } from 'node:net';

/**
 * The address of the client. Each trusted proxy appends the address of its own client to X-Forwarded-For. The header is
 * therefore read from the right, one entry per trusted proxy; a client can forge the entries further left. If an entry
 * is missing or is not an address, the last valid entry counts.
 */
export function clientAddress(remoteAddress: string, xForwardedFor: string | undefined, trustProxy: number): string {
  let client = canonical(remoteAddress) ?? remoteAddress;
  if (trustProxy === 0) return client;
  const hops = (xForwardedFor ?? '').split(',').slice(-trustProxy).reverse();
  for (const hop of hops) {
    const address = canonical(withoutPort(hop.trim()));
    if (address === null) break;
    client = address;
  }
  return client;
}

/** The key of the rate limits: an IPv4 address, or the /64 network of an IPv6 address, since one client owns the whole /64. */
export function limitKey(address: string): string {
  const plain = canonical(address);
  return plain?.includes(':') ? prefixOf(plain, 64) : (plain ?? address);
}

/** The /48 network of an IPv6 address, usually one site. Null for IPv4, including IPv4-mapped addresses. */
export function siteKey(address: string): string | null {
  const plain = canonical(address);
  return plain?.includes(':') ? prefixOf(plain, 48) : null;
}

/** A /48 network has this many times the limit of a /64 network. */
export const SITE_TIMES = 10;

/** The keys under which open connections and subscriptions count. An IPv6 client has two: its /64, and its /48 with a higher limit. */
export function networkKeys(address: string): readonly { readonly key: string; readonly times: number }[] {
  const site = siteKey(address);
  const narrow = { key: limitKey(address), times: 1 };
  return site === null ? [narrow] : [narrow, { key: site, times: SITE_TIMES }];
}

function prefixOf(ipv6: string, bits: 48 | 64): string {
  const [left = [], right = []] = ipv6.split('::').map((part) => part.split(':'));
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  const network = [...left, ...zeros, ...right].slice(0, bits / 16);
  return `${network.map((group) => group || '0').join(':')}::/${bits}`;
}

/** Normalizes an address: IPv6 in its short form without a zone, IPv4-mapped IPv6 as IPv4. Null if the text is not an address. */
function canonical(text: string): string | null {
  const version = isIP(text);
  if (version !== 6) return version === 4 ? text : null;
  const [withoutZone = text] = text.split('%');
  const { address } = new SocketAddress({ address: withoutZone, family: 'ipv6' });
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  hop.replace(/^\[(.*)\](?::\d{1,5})?$/, '$1').replace(/^([\d.]+):\d{1,5}$/, '$1');
