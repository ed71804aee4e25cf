import { expect } from 'chai';
import fc from 'fast-check';
import { clientAddress, limitKey, networksOf } from '../../../src/server/client-address.js';

const SOCKET = '198.51.100.7';

describe('the IP address of a client', () => {
  for (const [rule, header, proxies, address] of [
    ['without a trusted proxy', '203.0.113.9, 203.0.113.10', 0, SOCKET],
    ['without a trusted proxy', '127.0.0.1', 0, SOCKET],
    ['without a header', undefined, 0, SOCKET],
    ['without a header', undefined, 2, SOCKET],
    ['without an entry', '', 2, SOCKET],
    ['behind one proxy, as the last entry', '192.0.2.1, 192.0.2.2,192.0.2.3 , 192.0.2.4', 1, '192.0.2.4'],
    ['behind three proxies, as the third entry from the right', '192.0.2.1, 192.0.2.2,192.0.2.3 , 192.0.2.4', 3, '192.0.2.2'],
    ['behind four proxies, as the fourth entry from the right', '192.0.2.1, 192.0.2.2,192.0.2.3 , 192.0.2.4', 4, '192.0.2.1'],
    ['with fewer entries than proxies, as the first entry', '203.0.113.9', 3, '203.0.113.9'],
    ['without its port', '203.0.113.9:4711', 1, '203.0.113.9'],
    ['without its port and brackets', '[2001:db8::1]:4711', 1, '2001:db8::1'],
    ['without its brackets', '[2001:db8::1]', 1, '2001:db8::1'],
    ['without its zone id', 'fe80::1%eth0', 1, 'fe80::1'],
    ['after normalisation', '2001:DB8:0:0:0:0:0:1', 1, '2001:db8::1'],
    ['after normalisation', '2001:db8::0.0.0.1', 1, '2001:db8::1'],
  ] as const) {
    it(`is ${address} ${rule} (${header}, ${proxies})`, () => {
      expect(clientAddress(SOCKET, header, proxies)).to.equal(address);
    });
  }

  it('is an IPv4 address when the socket has an IPv4-mapped one', () => {
    for (const mapped of ['::ffff:198.51.100.7', '::ffff:c633:6407']) {
      expect(clientAddress(mapped, undefined, 0)).to.equal(SOCKET);
    }
  });

  it('does not depend on entries that the client sent', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 3 }), (forged, proxies) => {
        const appended = ['203.0.113.9', '10.0.0.1', '10.0.0.2'].slice(0, proxies);
        expect(clientAddress(SOCKET, [forged, ...appended].join(', '), proxies)).to.equal('203.0.113.9');
      }),
    );
  });

  it('is the last valid one before a malformed entry, read from the right, beginning with the socket', () => {
    for (const malformed of ['unknown', '', '1.2.3', '256.1.1.1', '1.2.3.4.5', '01.2.3.4', '1::2::3', '[::1']) {
      expect(clientAddress(SOCKET, `203.0.113.9, ${malformed}`, 1), malformed).to.equal(SOCKET);
      expect(clientAddress(SOCKET, `203.0.113.9, ${malformed}, 10.0.0.1`, 3), malformed).to.equal('10.0.0.1');
    }
  });
});

describe('the key of a rate limit by IP address', () => {
  const keys: Readonly<Record<string, readonly string[]>> = {
    '203.0.113.9': ['203.0.113.9', '::ffff:203.0.113.9', '::FFFF:cb00:7109', '::ffff:203.0.113.9%1'],
    '2001:db8:1:2::/64': ['2001:DB8:1:2:3:4:5:6', '2001:0db8:0001:0002::1', '2001:db8:1:2::1.2.3.4'],
    '2001:db8:0:1::/64': ['2001:db8:0:1::', '2001:db8::1:0:0:0:9', '2001:db8:0:1::9%eth0'],
    '0:0:0:0::/64': ['::', '::1', '::1.2.3.4', '::ffff:0:1.2.3.4', '::5:6:7:8'],
    unknown: ['unknown'],
  };
  for (const [key, addresses] of Object.entries(keys)) {
    it(`is ${key} for ${addresses.join(', ')}`, () => {
      for (const address of addresses) expect(limitKey(address), address).to.equal(key);
    });
  }

  it('is the /48 network for the limit of a site, which only IPv6 addresses have', () => {
    const siteKey = (address: string) => networksOf(address)[1]?.key;
    for (const address of ['2001:db8:1:2::5', '2001:DB8:1:ffff:1::', '2001:0db8:0001::']) {
      expect(siteKey(address), address).to.equal('2001:db8:1::/48');
    }
    expect(siteKey('2001:db8::1')).to.equal('2001:db8:0::/48');
    expect(siteKey('::1')).to.equal('0:0:0::/48');
    for (const address of ['203.0.113.9', '::ffff:203.0.113.9', 'nonsense']) expect(siteKey(address)).to.equal(undefined);
  });

  it('is the first half of an IPv6 address in any notation', () => {
    const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), fc.nat(7), fc.nat(7), (groups, from, count) => {
        // Leaves out IPv4-mapped addresses, whose key is that of the IPv4 address.
        fc.pre(!(groups.slice(0, 5).every((g) => g === 0) && groups[5] === 0xffff));
        const network = `${groups
          .slice(0, 4)
          .map((g) => g.toString(16))
          .join(':')}::/64`;
        const padded = groups.map((g) => g.toString(16).padStart(4, '0').toUpperCase());
        expect(limitKey(padded.join(':'))).to.equal(network);
        const zeros = groups.slice(from, from + count);
        if (zeros.length > 0 && zeros.every((g) => g === 0)) {
          const short = `${padded.slice(0, from).join(':')}::${padded.slice(from + zeros.length).join(':')}`;
          expect(limitKey(short), short).to.equal(network);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
