import { request } from 'node:http';
import { startHttpServer } from './http-server.ts';
import { readBytes, readJson } from './read-body.ts';
import { Refused } from './refused.ts';

interface Body {
  readonly status: number | undefined;
  readonly text: string;
}

const jsonType = { 'content-type': 'application/json' };

/** Sends parts of a body to a server that reads it in one of two ways. */
async function send(
  read: 'bytes' | 'json',
  parts: readonly (string | Buffer)[],
  headers: Record<string, string> = {},
): Promise<Body> {
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    listener: async (incoming, response) => {
      try {
        const body = await (read === 'bytes' ? readBytes : readJson)(incoming, 1_000);
        response.end(Buffer.isBuffer(body) ? String(body.length) : JSON.stringify(body));
      } catch (error) {
        const code = error instanceof Refused ? error.refusal.code : undefined;
        response.writeHead(code === undefined ? 500 : 400).end(code);
      }
    },
  });
  try {
    return await new Promise<Body>((resolve, reject) => {
      const outgoing = request(
        server.url,
        { method: 'PUT', headers: { ...jsonType, ...headers } },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          response.on('end', () => resolve({ status: response.statusCode, text }));
        },
      );
      outgoing.on('error', reject);
      for (const part of parts) outgoing.write(part);
      outgoing.end();
    });
  } finally {
    await server.close(1_000);
  }
}

test('a body of exactly the bound is read whole, however it is cut', async () => {
  const parts = Array.from({ length: 10 }, () => Buffer.alloc(100));

  expect(await send('bytes', parts)).toEqual({ status: 200, text: '1000' });
});

test('one byte more is refused, and the caller receives the refusal', async () => {
  const parts = [...Array.from({ length: 10 }, () => Buffer.alloc(100)), Buffer.alloc(1)];

  expect(await send('bytes', parts)).toEqual({ status: 400, text: 'payload_too_large' });
});

test('a body whose Content-Length is too large is refused before it is read', async () => {
  const body = Buffer.alloc(5 * 1024 * 1024);

  expect(await send('bytes', [body], { 'content-length': String(body.length) })).toEqual({
    status: 400,
    text: 'payload_too_large',
  });
});

test('a much larger body without a length is refused all the same', async () => {
  const parts = Array.from({ length: 100 }, () => Buffer.alloc(64 * 1024));

  expect(await send('bytes', parts)).toEqual({ status: 400, text: 'payload_too_large' });
});

test('JSON is read, whatever its bytes are cut at', async () => {
  const body = Buffer.from(JSON.stringify({ text: 'Grüße, 世界' }));
  const parts = [...body].map((byte) => Buffer.from([byte]));

  expect((await send('json', parts)).text).toBe('{"text":"Grüße, 世界"}');
});

test.each([
  ['one name in several objects', '{"a":{"a":[{"a":1},{"a":2}]},"b":"\\"a\\":1"}'],
  ['names that differ in case or form', '{"a":1,"A":2,"\\u00e4":3,"a\\u0308":4}'],
  ['64 levels', `${'['.repeat(64)}${']'.repeat(64)}`],
  ['a byte order mark and space around', '\ufeff {"a":1} '],
])('JSON of %s is read', async (_what, body) => {
  const { text } = await send('json', [body]);

  expect(JSON.parse(text)).toEqual(JSON.parse(body.trim()));
});

test.each([
  ['half an object', '{"a":1'],
  ['two values', '{} {}'],
  ['bytes that are no text', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
  ['a member twice', '{"max_credits":125,"language":"english","max_credits":9000}'],
  ['a member twice with one value', '{"a":1,"a":1}'],
  ['a member twice, once with an escape', '{"items":[{"a":1,"\\u0061":2}]}'],
  ['a member twice in depth', '[{"a":{"b":[{"c":null,"d":{},"c":null}]}}]'],
  ['an empty name twice', '{"":1,"":2}'],
  ['`__proto__` twice', '{"__proto__":1,"__proto__":2}'],
  ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`],
])('%s is refused as malformed', async (_what, body) => {
  expect(await send('json', [body])).toEqual({ status: 400, text: 'malformed_json' });
});

test.each([
  ['text/plain', {}],
  ['application/json; charset=utf-16', {}],
  ['', {}],
  ['application/json', { 'content-encoding': 'gzip' }],
])('a body of type %p and %j is refused unread', async (type, headers) => {
  expect(await send('json', ['{}'], { 'content-type': type, ...headers })).toEqual({
    status: 400,
    text: 'unsupported_media_type',
  });
});
