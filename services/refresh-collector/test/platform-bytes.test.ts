import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { EgressConfig } from '../src/egress/egress-config.ts';
import { openEgressIdentities } from '../src/egress/egress-identities.ts';
import { createPlatformClient } from '../src/egress/platform-client.ts';
import { pageMembers } from '../src/platform/platform-page.domain.ts';
import { classifyResponse } from '../src/platform/platform-response.domain.ts';

const farMs = 600_000;
const retryAfterMaxMs = 1_800_000;
const clock = createTestClock(Date.UTC(2026, 10, 21, 10));
const bodyBytesMax = 1024 * 1024;
const page = Buffer.from('{"total_inventory_count":0,"success":1,"rwgrsn":-2}');

/** A platform that answers every request with these bytes. */
const platform: { bytes: Buffer; request: string; url: string } = {
  bytes: Buffer.from(''),
  request: '',
  url: '',
};
let server: Server;
const [identity] = openEgressIdentities(['direct'], farMs);

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      platform.request = data.toString();
      socket.write(platform.bytes);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  platform.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(async () => {
  await identity?.dispatcher.destroy();
  server.close();
});

const responseOf = (body: Buffer, headers: readonly string[] = [], status = '200 OK') =>
  Buffer.concat([
    Buffer.from(
      [`HTTP/1.1 ${status}`, `content-length: ${body.length}`, ...headers, '', ''].join('\r\n'),
    ),
    body,
  ]);

/** What the client makes of these bytes. */
async function read(bytes: Buffer) {
  if (!identity) throw new Error('no identity');
  platform.bytes = bytes;
  const client = createPlatformClient(
    only<EgressConfig>({
      platform: only({
        ...{ baseUrl: platform.url, timeoutMs: farMs, bodyBytesMax },
        userAgent: 'test',
      }),
      identities: only({ cooldownMaxMs: retryAfterMaxMs }),
    }),
    clock,
  );
  const scope = { platform_id: '76561198000000001', app_id: 730, context_id: 2 };
  const wanted = { scope, language: 'english', count: 2_000, startAssetId: null };
  return await client.fetchPage(identity, wanted, farMs);
}

const meaningOf = async (bytes: Buffer) => classifyResponse(await read(bytes));
const read200 = (body: Buffer, contentEncoding: string) =>
  meaningOf(responseOf(body, [`Content-Encoding: ${contentEncoding}`]));

type Encoder = readonly [name: string, header: string, encode: (body: Buffer) => Buffer];
const encoders: readonly Encoder[] = [
  ['gzip', 'gzip', gzipSync],
  ['gzip by its old name', 'x-gzip', gzipSync],
  ['br', 'br', brotliCompressSync],
  ['deflate', 'deflate', deflateSync],
  ['deflate without the header of zlib', 'deflate', deflateRawSync],
  ['zstd', 'zstd', zstdCompressSync],
];
const changedCase = (header: string) => header.replace(/[a-z]$/, (last) => last.toUpperCase());

describe('a compressed answer (Reads: the platform may compress unasked) [platform-compression]', () => {
  test('is asked for in the forms that are read', async () => {
    await read(responseOf(page));

    expect(platform.request).toMatch(/\r\naccept-encoding: gzip, br, zstd\r\n/i);
  });

  test.each(encoders)('is read as what it is: %s', async (_name, header, encode) => {
    const plain = await meaningOf(responseOf(page));

    expect(plain).toMatchObject({ kind: 'page' });
    for (const name of [header, header.toUpperCase(), changedCase(header), ` ${header} ,`]) {
      expect(await read200(encode(page), name)).toEqual(plain);
    }
  });

  test('is read however often it was encoded, and with identity among the codings', async () => {
    for (const [, outer, encodeOuter] of encoders) {
      for (const [, inner, encodeInner] of encoders) {
        const body = encodeOuter(encodeInner(page));
        expect(await read200(body, `${inner}, identity, ${outer}`)).toMatchObject({ kind: 'page' });
      }
    }
    const lines = ['Content-Encoding: gzip', 'Content-Encoding: br'];
    const twice = responseOf(brotliCompressSync(gzipSync(page)), lines);
    expect(await meaningOf(twice)).toMatchObject({ kind: 'page' });
  });

  test.each(encoders)(
    'is a bad answer where its bytes are not %s',
    async (_name, header, encode) => {
      const encoded = encode(Buffer.concat([page, Buffer.alloc(4_096, ' ')]));
      const broken = Buffer.from(encoded);
      broken.fill(0xff, 4, 12);

      for (const body of [page, encoded.subarray(0, encoded.length / 2), broken]) {
        expect(await read200(body, header)).toMatchObject({ kind: 'fault', reason: 'bad_answer' });
      }
    },
  );

  test.each(['compress', 'dcz', 'aes128gcm', 'none', 'gzip;q=1', 'gzip br', 'gzip, dcb', 'br, br'])(
    'is a bad answer in a coding that is unknown or was not applied: %s',
    async (header) => {
      const response = await read200(gzipSync(page), header);

      expect(response).toMatchObject({ kind: 'fault', reason: 'bad_answer' });
    },
  );

  test('is a bad answer beyond four codings', async () => {
    const body = [1, 2, 3, 4].reduce((encoded) => gzipSync(encoded), page);

    expect(await read200(body, 'gzip,gzip,gzip,gzip')).toMatchObject({ kind: 'page' });
    const five = await read200(gzipSync(body), 'gzip,gzip,gzip,gzip,gzip');
    expect(five).toMatchObject({ kind: 'fault', reason: 'bad_answer' });
  });

  test.each(encoders)('is bounded once it is decoded: %s', async (_name, header, encode) => {
    const fitting = Buffer.concat([page, Buffer.alloc(bodyBytesMax - page.length, ' ')]);
    const larger = Buffer.concat([fitting, Buffer.from(' ')]);

    expect(await read200(encode(fitting), header)).toMatchObject({ kind: 'page' });
    expect(await read200(encode(larger), header)).toEqual({ kind: 'too_large' });
  });

  test('costs its limit where it holds more than memory does', async () => {
    const member = gzipSync(Buffer.alloc(bodyBytesMax));
    const members = Buffer.alloc(Math.floor(bodyBytesMax / member.length) * member.length, member);
    const window = { params: { [constants.ZSTD_c_windowLog]: 27 } };
    const wide = zstdCompressSync(Buffer.alloc(2 * bodyBytesMax), window);

    expect(await read200(members, 'gzip')).toEqual({ kind: 'too_large' });
    expect(await read200(gzipSync(members), 'gzip, gzip')).toEqual({ kind: 'too_large' });
    expect((await read200(wide, 'zstd')).kind).not.toBe('page');
  });

  test.each([
    ['403 Forbidden', { kind: 'private' }],
    ['404 Not Found', { kind: 'not_found' }],
    ['429 Too Many Requests', { kind: 'throttled' }],
    ['400 Bad Request', { kind: 'bad_request' }],
  ])('means the same beside %s, where an empty body has no coding', async (status, meaning) => {
    const header = ['content-encoding: gzip'];

    for (const body of [gzipSync('null'), Buffer.alloc(0)]) {
      expect(await meaningOf(responseOf(body, header, status))).toMatchObject(meaning);
    }
  });

  test('has an error text', async () => {
    const body = brotliCompressSync('{"error":"SimRefresh failed with EResult 42"}');
    const bytes = responseOf(body, ['content-encoding: br'], '500 Internal Server Error');

    expect(await meaningOf(bytes)).toEqual({ kind: 'not_found' });
  });
});

describe('interim answers before the page (RFC 9110, 15.2) [platform-http]', () => {
  const continued = 'HTTP/1.1 100 Continue\r\n\r\n';
  test.each([
    ['100 Continue', continued],
    ['100 Continue twice', continued.repeat(2)],
    ['100 Continue with a header', 'HTTP/1.1 100 Continue\r\nServer: edge\r\n\r\n'],
    ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'],
    ['several', `HTTP/1.1 102 Processing\r\n\r\n${continued}HTTP/1.1 103 Hints\r\n\r\n`],
  ])('%s, though not asked for, are no page and no failure', async (_what, interim) => {
    for (let requests = 0; requests < 3; requests += 1) {
      const response = await meaningOf(Buffer.concat([Buffer.from(interim), responseOf(page)]));
      expect(response).toMatchObject({ kind: 'page' });
    }
  });
});

describe('Retry-After (RFC 9110, 10.2.3) [platform-http]', () => {
  test.each([
    ['120', 120_000],
    ['4000000000', retryAfterMaxMs],
    ['99999999999999999999999', retryAfterMaxMs],
    ['Sat, 21 Nov 2026 10:02:00 GMT', 120_000],
    ['Saturday, 21-Nov-26 10:02:00 GMT', 120_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', retryAfterMaxMs],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ])(
    'of %s is honoured up to the longest cooldown, of 429, 403 and 503 alike',
    async (header, retryAfterMs) => {
      const asked = [`Retry-After: ${header}`];
      const html = Buffer.from('<html></html>');

      expect(await meaningOf(responseOf(html, asked, '429 Too Many Requests'))).toEqual({
        kind: 'throttled',
        retryAfterMs,
      });
      expect(await meaningOf(responseOf(html, asked, '403 Forbidden'))).toEqual({
        kind: 'blocked',
        retryAfterMs,
      });
      expect(await meaningOf(responseOf(html, asked, '503 Service Unavailable'))).toEqual({
        kind: 'fault',
        reason: 'server_error',
        eresult: null,
        retryAfterMs,
      });
    },
  );

  test.each(['soon', '-1', '1.5', ''])('of %p is none', async (header) => {
    const bytes = responseOf(
      Buffer.from('null'),
      [`Retry-After: ${header}`],
      '429 Too Many Requests',
    );

    expect(await meaningOf(bytes)).toEqual({ kind: 'throttled', retryAfterMs: null });
  });
});

describe('an answer that is no UTF-8 (Reads: text) [platform-text]', () => {
  const asset = '"appid":730,"contextid":"2","assetid":"5","classid":"1","amount":"1"';
  /** Written in latin1. */
  const pageNaming = (name: string) =>
    Buffer.from(
      `{"success":1,"total_inventory_count":1,"assets":[{${asset}}],` +
        `"descriptions":[{"appid":730,"classid":"1","name":"${name}"}]}`,
      'latin1',
    );

  test.each([
    ['a byte that is none', 'a\xffb', 'a\ufffdb'],
    ['a character cut in its middle', 'a\xe2\x98', 'a\ufffd'],
    ['a character of four bytes cut in its middle', '\xf0\x9f\x98b', '\ufffdb'],
    ['a continuation of nothing', '\x80\x80', '\ufffd\ufffd'],
    ['an overlong quote', '\xc0\xa2', '\ufffd\ufffd'],
    ['half a character', '\xed\xa0\xbd', '\ufffd\ufffd\ufffd'],
  ])('is complete, with U+FFFD for %s', async (_what, name, read) => {
    for (const bytes of [
      responseOf(pageNaming(name)),
      responseOf(gzipSync(pageNaming(name)), ['content-encoding: gzip']),
    ]) {
      const response = await meaningOf(bytes);
      if (response.kind !== 'page') throw new Error(response.kind);
      const members = Buffer.concat(pageMembers(response.page, 'with_properties'));
      const { assets, descriptions } = JSON.parse(
        new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(`{${members}}`)),
      );
      expect(assets).toHaveLength(1);
      expect(descriptions[0].name).toBe(read);
    }
  });

  test('is bounded with its replacements', async () => {
    const response = await meaningOf(responseOf(pageNaming('\xff'.repeat(bodyBytesMax / 2))));

    expect(response).toEqual({ kind: 'too_large' });
  });
});
