import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  allowsAddress,
  type NetworkPolicy,
  parseNetwork,
  peerNetworksOf,
} from './network-policy.domain.ts';

/** An address as a number, in the words of this test alone: an oracle that shares no code. */
interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

const bitsOf = { 4: 32, 6: 128 } as const;

const v4 = fc
  .bigInt({ min: 0n, max: 2n ** 32n - 1n })
  .map((value): Address => ({ family: 4, value }));
/** Outside `::ffff:0:0/96`, whose addresses are IPv4 ones. */
const v6 = fc
  .bigInt({ min: 0n, max: 2n ** 128n - 1n })
  .filter((value) => value >> 32n !== 0xffffn)
  .map((value): Address => ({ family: 6, value }));
const addresses = fc.oneof(v4, v6);

const networks = fc
  .tuple(addresses, fc.nat({ max: 128 }))
  .map(([address, length]) => ({ ...address, prefix: length % (bitsOf[address.family] + 1) }))
  .map(({ family, value, prefix }) => {
    const free = BigInt(bitsOf[family] - prefix);
    return { family, value: (value >> free) << free, prefix };
  })
  // An IPv6 network inside the mapped range would be written as IPv4.
  .filter(({ family, value }) => family === 4 || value >> 32n !== 0xffffn);
type Network = typeof networks extends fc.Arbitrary<infer Value> ? Value : never;

function textOf({ family, value }: Address): string {
  if (family === 4) {
    return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
  }
  const groups = Array.from(
    { length: 8 },
    (_, index) => (value >> BigInt(112 - 16 * index)) & 65535n,
  );
  return groups.map((group) => group.toString(16)).join(':');
}

function mappedTextOf({ value }: Address): string {
  return `::ffff:${textOf({ family: 4, value })}`;
}

function isInside(address: Address, network: Network): boolean {
  const free = BigInt(bitsOf[network.family] - network.prefix);
  return address.family === network.family && address.value >> free === network.value >> free;
}

function policyOf(...of: Network[]): NetworkPolicy {
  return of.map((network) => {
    const parsed = parseNetwork(`${textOf(network)}/${network.prefix}`);
    if (parsed.result === 'invalid') throw new Error(parsed.reason);
    return parsed.network;
  });
}

/** Addresses near a network are likelier to find an off-by-one than addresses anywhere. */
const addressNear = (network: Network) =>
  fc.oneof(
    addresses,
    fc.bigInt({ min: -2n, max: 2n }).chain((step) => {
      const size = 1n << BigInt(bitsOf[network.family] - network.prefix);
      const limit = 1n << BigInt(bitsOf[network.family]);
      return fc.constantFrom(
        { family: network.family, value: (network.value + step + limit) % limit },
        { family: network.family, value: (network.value + size + step + limit) % limit },
      );
    }),
  );

const runs = { numRuns: propertyRuns(1_000) };

test('a client passes a policy exactly when its address lies in one of the networks', () => {
  const cases = fc
    .array(networks, { minLength: 1, maxLength: 4 })
    .chain((of) => fc.tuple(fc.constant(of), fc.constantFrom(...of).chain(addressNear)));

  fc.assert(
    fc.property(cases, ([of, address]) => {
      const isMapped = address.family === 6 && address.value >> 32n === 0xffffn;
      fc.pre(!isMapped);
      const expected = of.some((network) => isInside(address, network));
      expect(allowsAddress([policyOf(...of)], textOf(address))).toBe(expected);
    }),
    runs,
  );
});

test('each further policy only narrows: account, then Project, then Credential', () => {
  const policies = fc.array(fc.array(networks, { minLength: 1, maxLength: 3 }), { maxLength: 3 });
  const cases = policies.chain((of) => {
    const some = of.flat();
    const near = some.length > 0 ? fc.constantFrom(...some).chain(addressNear) : addresses;
    return fc.tuple(fc.constant(of), near);
  });

  fc.assert(
    fc.property(cases, ([of, address]) => {
      const given = of.map((policy) => policyOf(...policy));
      const all = allowsAddress(given, textOf(address));
      const each = given.map((policy) => allowsAddress([policy], textOf(address)));
      expect(all).toBe(each.every(Boolean));
    }),
    runs,
  );
});

test('an IPv4 client of a dual-stack socket is the same client', () => {
  const cases = networks.chain((network) => fc.tuple(fc.constant(network), addressNear(network)));

  fc.assert(
    fc.property(cases, ([network, address]) => {
      fc.pre(address.family === 4);
      const plain = allowsAddress([policyOf(network)], textOf(address));
      expect(allowsAddress([policyOf(network)], mappedTextOf(address))).toBe(plain);
      expect(plain).toBe(isInside(address, network));
    }),
    runs,
  );
});

test('an IPv4-mapped IPv6 network is the IPv4 network it means', () => {
  fc.assert(
    fc.property(networks, (network) => {
      fc.pre(network.family === 4);
      const mapped = parseNetwork(`${mappedTextOf(network)}/${network.prefix + 96}`);
      expect(mapped).toEqual(parseNetwork(`${textOf(network)}/${network.prefix}`));
    }),
    runs,
  );
});

test('a network is stored in one form, and that form reads as itself', () => {
  fc.assert(
    fc.property(networks, (network) => {
      const [stored = ''] = policyOf(network);
      expect(parseNetwork(stored)).toEqual({ result: 'valid', network: stored });
    }),
    runs,
  );
});

test('without any policy every client passes; with one, an unreadable address passes none', () => {
  expect(allowsAddress([], 'unknown')).toBe(true);
  for (const address of ['', 'unknown', '10.0.0', '010.0.0.1', '0x0a.0.0.1', '1'.repeat(500)]) {
    expect(allowsAddress([['0.0.0.0/0', '::/0']], address)).toBe(false);
  }
});

test('the zone of a link-local client address does not matter', () => {
  expect(allowsAddress([['fe80::/10']], 'fe80::1%eth0')).toBe(true);
});

test.each([
  ['192.0.2.7', '192.0.2.7/32'],
  ['2001:DB8::7', '2001:db8::7/128'],
  ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['::/0', '::/0'],
])('%s is accepted as %s', (text, network) => {
  expect(parseNetwork(text)).toEqual({ result: 'valid', network });
});

test.each([
  ['10.0.0.1/8', 'has address bits beyond its prefix; the network is 10.0.0.0/8'],
  ['2001:db8::1/32', 'has address bits beyond its prefix; the network is 2001:db8::/32'],
  ['10.0.0.0/33', 'has no prefix length from 0 to 32'],
  ['10.0.0.0/', 'has no prefix length from 0 to 32'],
  ['10.0.0.0/08', 'has no prefix length from 0 to 32'],
  ['10.0.0.0/-1', 'has no prefix length from 0 to 32'],
  ['::/129', 'has no prefix length from 0 to 128'],
  ['10.0.0.0/8/8', 'is not an IPv4 or IPv6 network'],
  ['010.0.0.0/8', 'is not an IPv4 or IPv6 network'],
  ['10.0/16', 'is not an IPv4 or IPv6 network'],
  ['167772160/8', 'is not an IPv4 or IPv6 network'],
  ['::ffff:010.0.0.0/104', 'is not an IPv4 or IPv6 network'],
  ['fe80::1%eth0', 'is not an IPv4 or IPv6 network'],
  ['example.com', 'is not an IPv4 or IPv6 network'],
  ['', 'is not an IPv4 or IPv6 network'],
])('%s is refused: %s', (text, reason) => {
  expect(parseNetwork(text)).toEqual({ result: 'invalid', reason });
});

test.each([
  ['192.0.2.7', ['192.0.2.7']],
  ['::ffff:192.0.2.7', ['192.0.2.7']],
  ['2001:db8:1:2:3:4:5:6', ['2001:db8:1:2::/64', '2001:db8:1::/48']],
  ['2001:db8:1::6', ['2001:db8:1::/64', '2001:db8:1::/48']],
  ['fe80::1%eth0', ['fe80::/64', 'fe80::/48']],
  ['', ['unknown']],
  ['unix:', ['unknown']],
])('a limit per client counts %j by %j', (address, networks) => {
  expect(peerNetworksOf(address)).toEqual(networks);
});
