import { only } from '@inventory/testkit/only';
import { createPeerConnections } from './peer-connections.ts';

function connectionsOf(perPeerMax: number, trustedProxies: readonly string[] = []) {
  const refused = jest.fn();
  const warn = jest.fn();
  const peers = createPeerConnections({
    ...{ perPeerMax, trustedProxies },
    onRefused: refused,
    logger: only({ warn }),
  });
  return { ...peers, refused, warn };
}

test('one peer does not use up the connections of all: past its own it is refused, until one of them has ended (Architecture: everything is bounded)', () => {
  const { add, remove, refused, warn } = connectionsOf(2);
  const addresses = ['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'];

  expect(addresses.map(add)).toEqual([true, true, false, false, true]);
  remove('192.0.2.1');
  expect([add('192.0.2.1'), add('192.0.2.1')]).toEqual([true, false]);
  expect(refused).toHaveBeenCalledTimes(3);
  expect(warn).toHaveBeenCalledTimes(1);
});

test('of IPv6 a /64 is one peer, and a /48 eight', () => {
  const { add, remove } = connectionsOf(2);
  const links = Array.from({ length: 30 }, (_none, link) => `2001:db8:1:${link}::1`);
  const ofOne = ['2001:db8:1:1::1', '2001:db8:1:1::2', '2001:db8:1:1::3'];

  expect(ofOne.map(add)).toEqual([true, true, false]);
  for (const address of ofOne.slice(0, 2)) remove(address);
  expect(links.filter(add)).toHaveLength(16);
  expect(add('2001:db8:2:1::1')).toBe(true);
});

test('a trusted proxy has any number, and no other peer beside it', () => {
  const { add, remove } = connectionsOf(1, ['10.0.0.0/8']);

  expect(Array.from({ length: 50 }, () => add('10.1.2.3'))).toEqual(Array(50).fill(true));
  remove('10.1.2.3');
  expect([add('192.0.2.1'), add('192.0.2.1')]).toEqual([true, false]);
});
