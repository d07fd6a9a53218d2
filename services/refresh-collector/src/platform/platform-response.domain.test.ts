import { pageRowsMax } from '@inventory/contracts/staged-rows';
import {
  classifyResponse,
  type RawPlatformResponse,
  readEResult,
} from './platform-response.domain.ts';

const responseOf = (status: number, body: string): RawPlatformResponse => ({
  status,
  body: Buffer.from(body),
  retryAfterMs: null,
});
const page = '{"assets":[],"descriptions":[],"total_inventory_count":0,"success":1,"rwgrsn":-2}';

describe('classifyResponse', () => {
  it.each([
    ['private', 403, 'null', { kind: 'private' }],
    ['private for readers that get 401', 401, 'null', { kind: 'private' }],
    ['throttled', 429, 'null', { kind: 'throttled', retryAfterMs: null }],
    ['a wrong count or a blocked address', 400, 'null', { kind: 'bad_request' }],
    ['odd success', 200, 'null', { kind: 'fault', reason: 'bad_answer', eresult: null }],
    ['unknown account', 404, '<html>', { kind: 'not_found' }],
  ] as const)(
    'distinguishes %s by its status, though the body is the same four bytes (upstream 6.1)',
    (_what, status, body, meaning) => {
      expect(classifyResponse(responseOf(status, body))).toEqual(meaning);
    },
  );

  it.each(['', ' ', 'null', '\ufeffnull', ' null\r\n'])(
    'takes a refusal with %j for a private inventory (upstream 1.4) [empty-private-unavailable]',
    (body) => {
      for (const status of [401, 403]) {
        expect(classifyResponse(responseOf(status, body))).toEqual({ kind: 'private' });
      }
    },
  );

  it.each([
    '<html><head><title>Access denied</title></head></html>',
    '{"title":"Access denied"}',
    '{}',
    '[]',
    '"null"',
    'null null',
    'nul',
    '{"success":false}',
    'Forbidden',
    '\u0000',
  ])(
    'takes a refusal with %j for a blocked identity, never for a private inventory (upstream 1.4) [empty-private-unavailable]',
    (body) => {
      for (const status of [401, 403]) {
        const blocked = { kind: 'blocked', retryAfterMs: null };
        expect(classifyResponse(responseOf(status, body))).toEqual(blocked);
      }
    },
  );

  it('takes a refusal whose body cannot be decoded for neither', () => {
    const response = classifyResponse({ status: 403, body: null, retryAfterMs: null });
    expect(response).toMatchObject({ kind: 'fault', reason: 'bad_answer' });
  });

  it.each([
    [
      '{"error":"SimRefresh failed with EResult 55"}',
      { kind: 'fault', reason: 'server_error', eresult: 55 },
    ],
    [
      '{"error":"SimRefresh failed with EResult 29"}',
      { kind: 'fault', reason: 'duplicate_request', eresult: 29 },
    ],
    [
      '{"error":"Sim item server did not answer (20)"}',
      { kind: 'fault', reason: 'server_error', eresult: 20 },
    ],
    ['{"error":"SimRefresh failed with EResult 42"}', { kind: 'not_found' }],
    ['{"error":"SimRefresh failed with EResult 77"}', { kind: 'refused', eresult: 77 }],
    ['{"error":"Timeout"}', { kind: 'fault', reason: 'server_error', eresult: null }],
    ['<html>', { kind: 'fault', reason: 'server_error', eresult: null }],
    ['null', { kind: 'fault', reason: 'server_error', eresult: null }],
  ] as const)('reads a 500 of %s by its EResult (upstream 1.4)', (body, meaning) => {
    expect(classifyResponse(responseOf(500, body))).toEqual(meaning);
  });

  it.each([
    ['HTML', '<html>fine</html>'],
    ['truncated JSON', page.slice(0, -4)],
    ['success other than 1', '{"success":false,"Error":"Sim private text"}'],
    ['a proxy of its own', '{"fake_redirect":0}'],
    ['no total', '{"success":1}'],
    ['a row without an id', '{"success":1,"total_inventory_count":1,"assets":[{"appid":730}]}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('latin1')],
  ])('never takes 200 with %s for an empty inventory (upstream 6.2)', (_what, body) => {
    const bytes = Buffer.from(body, 'latin1');
    expect(classifyResponse({ status: 200, body: bytes, retryAfterMs: null })).toMatchObject({
      kind: 'fault',
      reason: 'bad_answer',
    });
  });

  it.each([502, 503, 504])('takes %i for a failure that a retry may not meet', (status) => {
    expect(classifyResponse(responseOf(status, '<html>'))).toMatchObject({ kind: 'fault' });
  });

  it.each(['timeout', 'connection_failed'] as const)('takes %s for a failure', (status) => {
    expect(classifyResponse({ status })).toEqual({ kind: 'fault', reason: status, eresult: null });
  });

  it('passes on the Retry-After of a throttled response where there is one [upstream-unavailable-upstream-timeout]', () => {
    expect(
      classifyResponse({ status: 429, body: Buffer.from('null'), retryAfterMs: 5_000 }),
    ).toEqual({
      kind: 'throttled',
      retryAfterMs: 5_000,
    });
  });
});

it('has a page with more rows than can be kept requested with fewer', () => {
  const row = (assetid: number) =>
    `{"appid":1,"contextid":"2","assetid":"${assetid}","classid":"1","amount":"1"}`;
  const pageOf = (rows: number) =>
    `{"success":1,"total_inventory_count":1,"assets":[${Array.from({ length: rows }, (_, at) => row(at)).join()}]}`;

  expect(classifyResponse(responseOf(200, pageOf(pageRowsMax)))).toMatchObject({ kind: 'page' });
  expect(classifyResponse(responseOf(200, pageOf(pageRowsMax + 1)))).toEqual({ kind: 'too_large' });
});

describe('readEResult', () => {
  it.each([
    ['failed with EResult 55', 55],
    ['did not answer (20)', 20],
    ['did not answer (20) ', 20],
    ['application 730 is unknown', null],
    ['app (730) is unknown', null],
    ['EResult 2550', null],
    ['EResult 256', null],
  ])('takes only a code for a code: %s (upstream 6.16)', (text, code) => {
    expect(readEResult(text)).toBe(code);
  });
});
