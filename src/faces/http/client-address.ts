import { isIP, SocketAddress } from 'node:net';

/**
 * The address of the client. Each trusted proxy appends the address that it was called from to X-Forwarded-For, so the
 * header is read from its right end, one entry a proxy; the rest is what the caller claims. Where an entry is missing or
 * is no address, the last good one before it counts.
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

/** What the limits count by: an IPv4 address, or the /64 of an IPv6 address, since one client has all of it. */
export function limitKey(address: string): string {
  const plain = canonical(address);
  return plain?.includes(':') ? prefixOf(plain, 64) : (plain ?? address);
}

/** The /48 of an IPv6 address: what one site usually has. null for IPv4, IPv4-mapped addresses included. */
export function siteKey(address: string): string | null {
  const plain = canonical(address);
  return plain?.includes(':') ? prefixOf(plain, 48) : null;
}

/** One IPv6 site may have so many times of what one of its /64 networks may have. */
export const SITE_TIMES = 10;

/** What the open things of an address count in: an IPv6 client has two keys, its /64 and its /48, the latter with more places. */
export function placeKeys(address: string): readonly { readonly key: string; readonly times: number }[] {
  const site = siteKey(address);
  const own = { key: limitKey(address), times: 1 };
  return site === null ? [own] : [own, { key: site, times: SITE_TIMES }];
}

function prefixOf(ipv6: string, bits: 48 | 64): string {
  const [left = [], right = []] = ipv6.split('::').map((part) => part.split(':'));
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  const network = [...left, ...zeros, ...right].slice(0, bits / 16);
  return `${network.map((group) => group || '0').join(':')}::/${bits}`;
}

/** One spelling for each address: IPv6 in its short form without a zone, IPv4-mapped IPv6 as IPv4; null if it is none. */
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
