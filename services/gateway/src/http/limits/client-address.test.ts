import type { IncomingMessage } from 'node:http';
import { only } from '@inventory/testkit/only';
import { allowsAddress } from '../../tenancy/network-policy.domain.ts';
import { createClientAddressOf } from './client-address.ts';

function requestFrom(peer: string | undefined, ...forwardedFor: string[]): IncomingMessage {
  return {
    socket: { remoteAddress: peer },
    headersDistinct: forwardedFor.length > 0 ? { 'x-forwarded-for': forwardedFor } : {},
  } as unknown as IncomingMessage;
}

const everywhere = ['0.0.0.0/0', '::/0'];
const proxies = ['10.0.0.0/8', '2001:db8::/32'];

const addressOf = (request: IncomingMessage, trustedProxies = proxies) =>
  createClientAddressOf({ trustedProxies, logger: only({ warn() {} }) })(request);

test('without proxies the client address is the peer [client-address]', () => {
  expect(addressOf(requestFrom('198.51.100.7', '203.0.113.9'), [])).toBe('198.51.100.7');
});

test.each([
  ['the peer, when it is no proxy', requestFrom('198.51.100.7', '203.0.113.9'), '198.51.100.7'],
  ['behind an IPv6 proxy', requestFrom('2001:db8::1', '2001:4860::8'), '2001:4860::8'],
  ['behind a mapped IPv4 proxy', requestFrom('::ffff:10.1.1.1', '203.0.113.9'), '203.0.113.9'],
  ['nothing for a connection that is gone', requestFrom(undefined, '203.0.113.9'), ''],
])('the client address is %s [client-address]', (_case, request, expected) => {
  expect(addressOf(request)).toBe(expected);
});

test.each([
  ['what it says', ['203.0.113.9'], '203.0.113.9'],
  ['what the last of several proxies says', ['203.0.113.9, 10.2.2.2'], '203.0.113.9'],
  ['the same over several headers', ['203.0.113.9', '10.2.2.2'], '203.0.113.9'],
  ['not what the client itself wrote', ['192.0.2.1, 203.0.113.9'], '203.0.113.9'],
  ['that of a proxy that connects for itself', [], '10.1.1.1'],
  ['without its port', ['203.0.113.9:51234'], '203.0.113.9'],
  ['past ports', ['203.0.113.9:51234, 10.2.2.2:443', '[2001:db8::9]:8080'], '203.0.113.9'],
  ['IPv6 without its port', ['[2001:4860::8]:443'], '2001:4860::8'],
  ['IPv6 in brackets alone', ['[2001:4860::8]'], '2001:4860::8'],
  ['what it puts in quotes, as in Forwarded', ['"[2001:4860::8]:443"'], '2001:4860::8'],
  ['an IPv4-mapped one, with its port', ['[::ffff:203.0.113.9]:443'], '::ffff:203.0.113.9'],
  ['a link-local one of a zone', ['fe80::1%eth0'], 'fe80::1%eth0'],
  ['the same with its port', ['[fe80::1%eth0]:443'], 'fe80::1%eth0'],
  ['what is between blanks', ['\t 203.0.113.9 \t'], '203.0.113.9'],
  ['not past an empty entry: the client may have written it', ['203.0.113.9, '], ''],
  ['nonsense as it is, to be in no policy', ['1.2.3.4, no address'], 'no address'],
])('behind a trusted proxy the client address is %s [client-address]', (_case, said, expected) => {
  expect(addressOf(requestFrom('10.1.1.1', ...said))).toBe(expected);
});

test.each([
  'unknown',
  '_hidden',
  '',
  'unix:',
  '203.0.113.9:port',
  '203.0.113.9:',
  '[2001:4860::8',
  '[2001:4860::8]443',
  '203.0.113.9:1:2',
  'for=203.0.113.9',
  '203.0.113.9 10.0.0.1',
])('%j of a trusted proxy is no address: it is in no network, and logged once', (entry) => {
  const warn = jest.fn();
  const clientAddressOf = createClientAddressOf({
    trustedProxies: proxies,
    logger: only({ warn }),
  });
  const request = requestFrom('10.1.1.1', entry);

  const addresses = [clientAddressOf(request), clientAddressOf(request)];

  for (const address of addresses) expect(allowsAddress([everywhere], address)).toBe(false);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]?.[0]).toEqual({ proxy: '10.1.1.1', entry });
});

test('what clients write is never logged, and what proxies write from at most 100 addresses, cut to 60 characters', () => {
  const warn = jest.fn();
  const clientAddressOf = createClientAddressOf({
    trustedProxies: proxies,
    logger: only({ warn }),
  });
  clientAddressOf(requestFrom('198.51.100.7', 'nonsense'));
  clientAddressOf(requestFrom('10.1.1.1', 'nonsense, 203.0.113.9'));
  expect(warn).not.toHaveBeenCalled();

  for (let proxy = 0; proxy < 300; proxy += 1) {
    clientAddressOf(requestFrom(`10.1.${proxy % 200}.1`, 'x'.repeat(9_000)));
  }

  expect(warn).toHaveBeenCalledTimes(100);
  expect(warn.mock.calls[99]?.[0].entry).toHaveLength(60);
});
