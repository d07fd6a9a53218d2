import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { isPublicAddress, parseWebhookUrl } from './webhook-address.domain.ts';

test.each([
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '168.63.129.16',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::a00:1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  'no address',
  '',
])('%s is no address that webhooks go to (Events: webhooks) [webhooks-addresses]', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '::ffff:1.1.1.1'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test('a private IPv4 address is private in every IPv6 notation (Events: webhooks)', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  const privates = fc.oneof(
    fc.tuple(fc.constant(10), byte, byte, byte),
    fc.tuple(fc.constant(127), byte, byte, byte),
    fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
    fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
  );
  const hex = (value: number) => value.toString(16).padStart(2, '0');
  fc.assert(
    fc.property(privates, ([a, b, c, d]) => {
      const groups = `${hex(a)}${hex(b)}:${hex(c)}${hex(d)}`;
      const spellings = [
        `${a}.${b}.${c}.${d}`,
        `::ffff:${a}.${b}.${c}.${d}`,
        `::ffff:${groups}`,
        `::${groups}`,
        `64:ff9b::${groups}`,
        `2002:${groups}::1`,
      ];
      expect(spellings.filter(isPublicAddress)).toEqual([]);
    }),
    { numRuns: propertyRuns(500) },
  );
});

const strict = { allowPrivate: false };

test.each([
  ['http://example.com/hook', 'must be an https URL'],
  ['ftp://example.com/', 'must be an https URL'],
  ['https://user:secret@example.com/', 'must not hold a password'],
  ['https://example.com/#part', 'must not have a fragment'],
  ['https://127.0.0.1/', 'must lead to a public address'],
  ['https://2130706433/', 'must lead to a public address'],
  ['https://0x7f.1/', 'must lead to a public address'],
  ['https://[::1]/', 'must lead to a public address'],
  ['https://[::ffff:10.0.0.1]/', 'must lead to a public address'],
  ['https://localhost/', 'must lead to a public address'],
  ['https://a.localhost./', 'must lead to a public address'],
  ['https://intranet/', 'must lead to a public address'],
  ['https://localhost../', 'must have a host that can be resolved'],
  ['https://127.0.0.1../', 'must have a host that can be resolved'],
  ['https://a..b.com/', 'must have a host that can be resolved'],
  ['https://.a.com/', 'must have a host that can be resolved'],
  ['https://./', 'must have a host that can be resolved'],
  ['https://a!b.com/', 'must have a host that can be resolved'],
  [`https://${'a.'.repeat(148)}com/`, 'must have a host that can be resolved'],
  [`https://${'a'.repeat(64)}.com/`, 'must have a host that can be resolved'],
  [`https://${'ä'.repeat(60)}.com/`, 'must have a host that can be resolved'],
  ['https://127.0.0.1./', 'must lead to a public address'],
  ['https://example.com:0/', 'must have a port from 1 to 65535'],
  ['https://@example.com/', 'must not hold a password'],
  ['https://:@example.com/', 'must not hold a password'],
  ['https:/\\@example.com\\', 'must not hold a password'],
  ['https:@example.com', 'must not hold a password'],
  ['https://example.com/#', 'must not have a fragment'],
  ['https://example.com#', 'must not have a fragment'],
  ['not a url', 'must be a URL'],
  ['', 'must be a URL'],
])('an endpoint at %s is refused: it %s (Events: webhooks)', (url, reason) => {
  expect(parseWebhookUrl(url, strict)).toEqual({ result: 'invalid', reason });
});

test.each([
  ['https://EXAMPLE.com:8443/hook?a=b', 'https://example.com:8443/hook?a=b'],
  ['https://example.com', 'https://example.com/'],
  ['https://example.com.:443/@a?b=c@d', 'https://example.com./@a?b=c@d'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ['https://_a-b.1-.example/', 'https://_a-b.1-.example/'],
  ['https://1.1.1.1/', 'https://1.1.1.1/'],
  ['https://[2606:4700:4700::1111]:1/', 'https://[2606:4700:4700::1111]:1/'],
])('%s is stored in its normalised form, with any port', (text, url) => {
  const { origin, pathname, search } = new URL(url);

  expect(parseWebhookUrl(text, strict)).toEqual({
    result: 'valid',
    url,
    origin,
    path: pathname + search,
  });
});

test('a name is one that DNS can have: labels of 1 to 63, 253 characters, with or without a dot at the end (Events: webhooks)', () => {
  const label = fc.oneof(
    fc.stringMatching(/^[a-z][a-z0-9_-]{0,5}$/),
    fc.integer({ min: 60, max: 66 }).map((length) => 'a'.repeat(length)),
    fc.constant(''),
  );
  const name = fc.array(label, { minLength: 1, maxLength: 6 }).map((labels) => labels.join('.'));
  fc.assert(
    fc.property(name, (written) => {
      const labels = written.replace(/\.$/, '').split('.');
      const isName =
        labels.every(({ length }) => length > 0 && length < 64) && labels.join('.').length <= 253;
      const isPublic = labels.length > 1 && labels.at(-1) !== 'localhost';

      const url = `https://${written}/`;
      fc.pre(URL.canParse(url));

      expect(parseWebhookUrl(url, strict).result === 'valid').toBe(isName && isPublic);
      expect(parseWebhookUrl(url, { allowPrivate: true }).result === 'valid').toBe(isName);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('a local stack may use plain http and private addresses', () => {
  const open = { allowPrivate: true };
  expect(parseWebhookUrl('http://127.0.0.1:9000/hook', open).result).toBe('valid');
  expect(parseWebhookUrl('http://localhost/hook', open).result).toBe('valid');
  for (const url of ['file:///etc/passwd', 'http://localhost../', 'http://127.0.0.1:0/']) {
    expect(parseWebhookUrl(url, open).result).toBe('invalid');
  }
});
