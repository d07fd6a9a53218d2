import { Duplex } from 'node:stream';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { skipInterim } from './skip-interim.ts';

const bodies = ['x', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 100 '];
const response = fc
  .constantFrom(...bodies)
  .map((body) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
const interim = fc.constantFrom(
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 100\r\nx: y\r\n\r\n',
  'HTTP/1.0 102 Processing\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n',
);

function newSocket() {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  return skipInterim(socket as unknown as Parameters<typeof skipInterim>[0] & Duplex);
}

/** What is read of these pieces. */
function readAll(socket: ReturnType<typeof newSocket>, pieces: readonly string[]): string {
  let seen = '';
  for (const piece of pieces) {
    socket.push(piece);
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) seen += chunk;
  }
  return seen;
}

const exchange = fc.record({
  interims: fc.array(interim, { maxLength: 3 }),
  final: response,
  cuts: fc.array(fc.nat(), { maxLength: 5 }),
});

describe('a connection that drops interim responses', () => {
  it('has every response as it was sent, wherever the bytes are cut (RFC 9110, 15.2)', () => {
    fc.assert(
      fc.property(fc.array(exchange, { minLength: 1, maxLength: 3 }), (exchanges) => {
        const socket = newSocket();
        for (const { interims, final, cuts } of exchanges) {
          const text = [...interims, final].join('');
          const ends = [...new Set([...cuts.map((cut) => cut % text.length), text.length])];
          ends.sort((left, right) => left - right);
          const pieces = ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end));

          socket.write('GET / HTTP/1.1\r\n\r\n');

          expect(readAll(socket, pieces)).toBe(final);
        }
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it.each([
    ['a change of the protocol', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['an interim response that never ends', `HTTP/1.1 100 ${'x'.repeat(20_000)}`],
    ['what is not a response', '220 mail.example.org ESMTP\r\n'],
  ])('passes on %s', (_what, text) => {
    const socket = newSocket();
    socket.write('GET / HTTP/1.1\r\n\r\n');

    expect(readAll(socket, [text])).toBe(text);
  });
});
