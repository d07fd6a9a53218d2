import type { IncomingMessage } from 'node:http';
import { clientAddressOf } from './client-address.ts';

function requestFrom(peer: string | undefined, ...forwardedFor: string[]): IncomingMessage {
  return {
    socket: { remoteAddress: peer },
    headersDistinct: forwardedFor.length > 0 ? { 'x-forwarded-for': forwardedFor } : {},
  } as unknown as IncomingMessage;
}

const proxies = ['10.0.0.0/8', '2001:db8::/32'];

test.each([
  ['the peer, without proxies', requestFrom('198.51.100.7', '203.0.113.9'), [], '198.51.100.7'],
  [
    'the peer, when it is no proxy',
    requestFrom('198.51.100.7', '203.0.113.9'),
    proxies,
    '198.51.100.7',
  ],
  ['what a trusted proxy says', requestFrom('10.1.1.1', '203.0.113.9'), proxies, '203.0.113.9'],
  [
    'what the last of several proxies says',
    requestFrom('10.1.1.1', '203.0.113.9, 10.2.2.2'),
    proxies,
    '203.0.113.9',
  ],
  [
    'the same over several headers',
    requestFrom('10.1.1.1', '203.0.113.9', '10.2.2.2'),
    proxies,
    '203.0.113.9',
  ],
  [
    'not what the client itself wrote',
    requestFrom('10.1.1.1', '192.0.2.1, 203.0.113.9'),
    proxies,
    '203.0.113.9',
  ],
  [
    'an IPv6 client behind an IPv6 proxy',
    requestFrom('2001:db8::1', '2001:4860::8'),
    proxies,
    '2001:4860::8',
  ],
  ['a mapped IPv4 proxy', requestFrom('::ffff:10.1.1.1', '203.0.113.9'), proxies, '203.0.113.9'],
  ['a proxy that connects for itself', requestFrom('10.1.1.1'), proxies, '10.1.1.1'],
  [
    'nonsense as it is, to be in no policy',
    requestFrom('10.1.1.1', '1.2.3.4, no address'),
    proxies,
    'no address',
  ],
  ['nothing for a connection that is gone', requestFrom(undefined, '203.0.113.9'), proxies, ''],
])('the client address is %s [client-address]', (_case, request, trusted, expected) => {
  expect(clientAddressOf(request, trusted)).toBe(expected);
});
