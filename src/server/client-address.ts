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

/** A /48 network has this many times the limit of a /64 network. */
export const SITE_TIMES = 10;

/** `key` identifies the network. `suffix` is added to the names of its windows, and hints show `per`. */
type Network = { readonly key: string; readonly times: number; readonly suffix: string; readonly per: string };

/**
 * The networks under which a client address is counted. An IPv4 address counts as itself. An IPv6 address counts as its /64
 * network, which usually belongs to one client, and as its /48 network, usually one site, with a higher limit (`times`).
 */
export function networksOf(address: string): readonly [Network, ...Network[]] {
  const plain = canonical(address) ?? address;
  if (isIP(plain) !== 6) return [{ key: plain, times: 1, suffix: '', per: 'IP' }];
  return [
    { key: prefixOf(plain, 64), times: 1, suffix: '', per: 'IPv6 /64' },
    { key: prefixOf(plain, 48), times: SITE_TIMES, suffix: '-48', per: 'IPv6 /48' },
  ];
}

/** The narrowest network under which an address is counted: an IPv4 address itself, or the /64 network of an IPv6 address. */
export const limitKey = (address: string): string => networksOf(address)[0].key;

/** Counts what is open at a time, such as connections, per network of the client address. */
export class OpenCounts {
  readonly #counts = new Map<string, number>();

  /**
   * By how much one more would exceed the maximum of a network of the address, and that maximum. Above 0, one more is too many. Of
   * the two networks of an IPv6 address, the one with the larger excess counts.
   */
  excess(address: string, max: number): { readonly excess: number; readonly max: number } {
    return networksOf(address)
      .map(({ key, times }) => ({ excess: this.#countOf(key) + 1 - max * times, max: max * times }))
      .reduce((a, b) => (b.excess > a.excess ? b : a));
  }

  /** Adds one for each network of the address. The returned function subtracts it again. */
  add(address: string): () => void {
    const keys = networksOf(address).map(({ key }) => key);
    for (const key of keys) this.#counts.set(key, this.#countOf(key) + 1);
    return () => {
      for (const key of keys.splice(0)) {
        const left = this.#countOf(key) - 1;
        if (left > 0) this.#counts.set(key, left);
        else this.#counts.delete(key);
      }
    };
  }

  #countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
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

/** Removes the port that some proxies append to an address: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string => hop.replace(/^\[(.*)\](?::\d{1,5})?$/, '$1').replace(/^([\d.]+):\d{1,5}$/, '$1');
