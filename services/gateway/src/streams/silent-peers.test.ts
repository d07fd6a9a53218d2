import { peerName, silentPeersIn } from './silent-peers.ts';

const head =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const rowOf = (remote: string, state: string, timer: string, retransmits: string) =>
  `   7: 0100630A:1B58 ${remote} ${state} 00000003:00000000 ${timer}:000009AE ${retransmits}     0        0 974661 1 000000001294cba4 100 0 0 10 0`;

const v4 = '0200630A:B5DA';
const mapped = '0000000000000000FFFF00000200630A:B5DA';
const v6 = 'B80D01200100000000000000070000FE:01BB';

test.each([
  ['an IPv4 peer', v4, '10.99.0.2', 46_554],
  ['an IPv4 peer of a dual-stack socket', mapped, '::ffff:10.99.0.2', 46_554],
  ['an IPv6 peer', v6, '2001:db8:0:1::fe00:7', 443],
])(
  '%s to which the kernel sends again is silent (Events: slow consumer) [events-slow-consumer]',
  (_which, remote, address, port) => {
    const table = [head, rowOf(remote, '01', '01', '00000001'), ''].join('\n');

    expect(silentPeersIn(table)).toEqual([peerName(address, port)]);
  },
);

test.each([
  ['has acknowledged everything', '01', '00', '00000000'],
  ['was sent something a moment ago', '01', '01', '00000000'],
  ['is alive and has a full receive buffer', '01', '04', '00000000'],
  ['has closed its side', '08', '01', '00000003'],
  ['listens', '0A', '00', '00000000'],
])('a peer that %s is not', (_which, state, timer, retransmits) => {
  expect(silentPeersIn([head, rowOf(v4, state, timer, retransmits), ''].join('\n'))).toEqual([]);
});

test('what is no table of connections has no silent peers', () => {
  expect(['', head, 'no such file', rowOf('', '01', '01', '1')].flatMap(silentPeersIn)).toEqual([]);
});
