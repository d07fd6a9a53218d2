import type { ErrorCode } from '@inventory/contracts/http/error-codes';
import { newRefreshId } from '@inventory/testkit/builders';
import type { ApiCall } from './api-call.ts';

export type Case = readonly [what: string, call: ApiCall & { key?: string }, code: ErrorCode];

const badPlatformIds = [
  '1',
  '7656119800000000',
  '765611980000000011',
  '7656119800000000a',
  '-7656119800000000',
  '+7656119800000000',
  '7656119800000000.',
  '7.6561198000000e16',
  '0x110000100000001',
  '%20',
  '７６５６１１９８０００００００００１',
  '76561198000000001%00',
  '76561198000000001%0a',
  ' 76561198000000001',
  '%37%36',
  '%ff%fe',
  '%zz',
  '%',
  'null',
  'undefined',
  '..%2f..%2fetc',
  "1'%20or%20'1'='1",
  '%3Cscript%3E',
].map((id) => encodeBlank(id));
const badNumbers = [
  '0',
  '00',
  '01',
  '-1',
  '+1',
  '1.0',
  '1e3',
  '0x1',
  '',
  '%20',
  '%00',
  'NaN',
  'Infinity',
  'one',
  '%D9%A1',
  '4294967296',
  '9007199254740993',
  '99999999999999999999',
  '1%2C000',
  '1_000',
  '%zz',
  '1%20',
];
const badBodies: [unknown, ErrorCode][] = [
  ['', 'malformed_json'],
  ['{', 'malformed_json'],
  ['{"max_credits":125', 'malformed_json'],
  ["{'max_credits':125}", 'malformed_json'],
  ['{"max_credits":0125}', 'malformed_json'],
  ['{"max_credits":+125}', 'malformed_json'],
  ['{"max_credits":125,}', 'malformed_json'],
  ['undefined', 'malformed_json'],
  ['{"max_credits":NaN}', 'malformed_json'],
  ['\ufeff\ufeff{"max_credits":125}', 'malformed_json'],
  ['max_credits=125', 'malformed_json'],
  [Buffer.from([0xff, 0xfe, 0x7b]), 'malformed_json'],
  [Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]), 'malformed_json'],
  ['['.repeat(8_000), 'malformed_json'],
  ['['.repeat(8_000) + ']'.repeat(8_000), 'invalid_request'],
  ['null', 'invalid_request'],
  ['[]', 'invalid_request'],
  ['125', 'invalid_request'],
  ['"125"', 'invalid_request'],
  ['true', 'invalid_request'],
  ['{}', 'invalid_request'],
  [{ max_credits: null }, 'invalid_request'],
  [{ max_credits: '125' }, 'invalid_request'],
  [{ max_credits: 125.5 }, 'invalid_request'],
  [{ max_credits: [125] }, 'invalid_request'],
  [{ max_credits: { $gt: 0 } }, 'invalid_request'],
  [{ max_credits: true }, 'invalid_request'],
  ['{"max_credits":1e400}', 'invalid_request'],
  ['{"max_credits":9007199254740993}', 'invalid_request'],
  ['{"max_credits":-1e308}', 'invalid_request'],
  [{ max_credits: 124 }, 'max_credits_too_low'],
  [{ max_credits: 0 }, 'max_credits_too_low'],
  [{ max_credits: -125 }, 'max_credits_too_low'],
  ['{"max_credits":-0}', 'max_credits_too_low'],
  [{ max_credits: 125, language: 'klingon' }, 'invalid_request'],
  [{ max_credits: 125, language: 'en' }, 'invalid_request'],
  [{ max_credits: 125, language: 'English' }, 'invalid_request'],
  [{ max_credits: 125, language: '' }, 'invalid_request'],
  [{ max_credits: 125, language: null }, 'invalid_request'],
  [{ max_credits: 125, language: 7 }, 'invalid_request'],
  [{ max_credits: 125, language: ['english'] }, 'invalid_request'],
  [{ max_credits: 125, language: 'toString' }, 'invalid_request'],
  [{ max_credits: 125, language: '__proto__' }, 'invalid_request'],
  [{ max_credits: 125, extra: 1 }, 'invalid_request'],
  [{ max_credits: 125, Max_Credits: 125 }, 'invalid_request'],
  [{ max_credits: 125, platform_id: '76561198000000001' }, 'invalid_request'],
  ['{"max_credits":125,"__proto__":{"x":1}}', 'invalid_request'],
  ['{"max_credits":125,"constructor":{}}', 'invalid_request'],
  ['x'.repeat(16_385), 'payload_too_large'],
  [Buffer.alloc(1_000_000, 0x20), 'payload_too_large'],
  [JSON.stringify({ max_credits: 125, pad: 'x'.repeat(17_000) }), 'payload_too_large'],
];
const badCursors = [
  'a',
  'forged',
  '%00',
  '%ff',
  'AAAA',
  '....',
  '%20',
  'null',
  'x'.repeat(500),
  'eyJwb3NpdGlvbiI6MH0',
  Buffer.alloc(28).toString('base64url'),
  Buffer.alloc(29).toString('base64url'),
  Buffer.alloc(90, 7).toString('base64url'),
];
const badQueries: [string, ErrorCode][] = [
  ...[
    'language=klingon',
    'language=',
    'language=EN',
    'language=en',
    'language=english%00',
    'language=%ff',
    'language=toString',
    'language=english&language=english',
    'page_size=0',
    'page_size=2001',
    'page_size=-1',
    'page_size=1.5',
    'page_size=',
    'page_size=1e3',
    'page_size=01',
    'page_size=%201',
    'page_size=1&page_size=1',
    'page_size=NaN',
    'page_size=99999999999999999999',
    'page_size=1%0a',
    'cursor=',
    'cursor=a&cursor=a',
    `cursor=${'x'.repeat(1_001)}`,
    'page_size[]=1&page_size=x',
    'language=english;page_size=1',
  ].map((query): [string, 'invalid_request'] => [query, 'invalid_request']),
  ...badCursors.map((cursor): [string, 'invalid_cursor'] => [`cursor=${cursor}`, 'invalid_cursor']),
];
const badListQueries = [
  'limit=0',
  'limit=101',
  'limit=',
  'limit=-1',
  'limit=1.0',
  'limit=1&limit=1',
  'limit=ten',
  'state=',
  'state=done',
  'state=QUEUED',
  'state=refused',
  'state=queued,completed',
  'refresh_id=1',
  'refresh_id=',
  `refresh_id=${newRefreshId().toUpperCase()}`,
  'cursor=',
  `${'state=queued&'.repeat(101)}`,
  `${`refresh_id=${newRefreshId()}&`.repeat(101)}`,
];
const badRefreshIds = [
  '1',
  'not-a-uuid',
  newRefreshId().toUpperCase(),
  `{${newRefreshId()}}`,
  newRefreshId().replaceAll('-', ''),
  `${newRefreshId()}0`,
  `${newRefreshId()}%00`,
  '%ff',
  '%zz',
  '%2e%2e',
  '00000000-0000-0000-0000-00000000000g',
  'null',
  "'%20or%201=1--",
];
const badProjectIds = [
  'prj_',
  'prj_1',
  newRefreshId(),
  `acc_${newRefreshId()}`,
  `PRJ_${newRefreshId()}`,
  `prj_${newRefreshId()}%20`,
  '%zz',
];
const badIdempotencyKeys = ['', 'x'.repeat(256), 'clé', 'tab\tinside', 'emoji \u00f0\u009f'];

const projects = '/v2/projects/prj_01890000-0000-7000-8000-000000000000/inventory-refreshes';

export function pathsOf(platformId: string) {
  const inventory = `/v2/platform/users/${platformId}/inventory/730/2`;
  return { current: `${inventory}/current`, refresh: `${inventory}/refresh` };
}

/** Requests that are wrong in one thing, and the code each is answered with. */
export function malformedCases(platformId: string): Case[] {
  const { current, refresh } = pathsOf(platformId);
  return [
    ...badPlatformIds.map(
      (id): Case => [
        `platform_id ${id}`,
        { path: `/v2/platform/users/${id}/inventory/730/2/current` },
        'invalid_request',
      ],
    ),
    ...badNumbers
      .filter((id) => id !== '')
      .flatMap((id): Case[] => [
        [
          `app_id ${id}`,
          { path: `/v2/platform/users/${platformId}/inventory/${id}/2/current` },
          'invalid_request',
        ],
        [
          `context_id ${id}`,
          { path: `/v2/platform/users/${platformId}/inventory/730/${id}/current` },
          'invalid_request',
        ],
      ]),
    [
      'context_id 2^31',
      { path: `/v2/platform/users/${platformId}/inventory/730/2147483648/current` },
      'invalid_request',
    ],
    ...badQueries.map(
      ([query, code]): Case => [
        `Current ?${query.slice(0, 60)}`,
        { path: `${current}?${query}` },
        code,
      ],
    ),
    ...badListQueries.map(
      (query): Case => [
        `list ?${query.slice(0, 60)}`,
        { path: `${projects}?${query}` },
        'invalid_request',
      ],
    ),
    ...badCursors
      .slice(0, 5)
      .map(
        (cursor): Case => [
          `Project of others, cursor ${cursor}`,
          { path: `${projects}?cursor=${cursor}` },
          'project_not_found',
        ],
      ),
    ...badRefreshIds.flatMap((id): Case[] => [
      [`refresh_id ${id}`, { path: `/v2/platform/inventory-refreshes/${id}` }, 'invalid_request'],
      [
        `cancel of ${id}`,
        { method: 'POST', path: `/v2/platform/inventory-refreshes/${id}/cancel` },
        'invalid_request',
      ],
    ]),
    ...badProjectIds.map(
      (id): Case => [
        `project_id ${id}`,
        { path: `/v2/projects/${id}/inventory-refreshes` },
        'invalid_request',
      ],
    ),
    ...badBodies.map(
      ([body, code], index): Case => [
        `body ${index}: ${code}`,
        { method: 'POST', path: refresh, body },
        code,
      ],
    ),
    ...badIdempotencyKeys.map(
      (value): Case => [
        `Idempotency-Key of ${value.length} characters`,
        {
          method: 'POST',
          path: refresh,
          body: { max_credits: 125 },
          headers: { 'Idempotency-Key': value },
        },
        'invalid_request',
      ],
    ),
    [
      'Idempotency-Key twice',
      {
        method: 'POST',
        path: refresh,
        body: { max_credits: 125 },
        headers: { 'Idempotency-Key': ['a', 'b'] },
      },
      'invalid_request',
    ],
    ...[
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/xml',
      'application/json;charset=latin1',
      'application/vnd.api+json',
      'json',
      '*/*',
      'application/json, text/plain',
    ].map(
      (type): Case => [
        `Content-Type ${type}`,
        {
          method: 'POST',
          path: refresh,
          body: '{"max_credits":125}',
          headers: { 'content-type': type },
        },
        'unsupported_media_type',
      ],
    ),
    ...['gzip', 'br', 'deflate', 'x-unknown', 'identity, gzip'].map(
      (encoding): Case => [
        `Content-Encoding ${encoding}`,
        {
          method: 'POST',
          path: refresh,
          body: '{"max_credits":125}',
          headers: { 'content-encoding': encoding },
        },
        'unsupported_media_type',
      ],
    ),
    ...[
      'text/html',
      'application/xml',
      'image/*',
      'application/json;q=0',
      'text/event-stream',
      'text/csv',
      'application/problem+json',
    ].map(
      (accept): Case => [
        `Accept ${accept}`,
        { path: current, headers: { accept } },
        'not_acceptable',
      ],
    ),
    ...[
      '/',
      '/v2',
      '/v2/',
      '//v2',
      '/v1/anything',
      '/v2/platform',
      `${current}/`,
      `${current}/x`,
      `/V2${current.slice(3)}`,
      '/v2/platform/users//inventory/730/2/current',
      '/v2/platform/inventory-refreshes/',
      '/v2/../v2',
      '/operator/v1/accounts',
      '/metrics',
      '/livez',
      '/readyz',
      '/.env',
      '/%2e%2e/x',
      `${current}%2fx`,
      '/v2/platform/inventory-refreshes/batch/x',
    ].map((path): Case => [`path ${path}`, { path }, 'route_not_found']),
    ...['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'POST', 'PROPFIND'].map(
      (method): Case => [`${method} Current`, { method, path: current }, 'method_not_allowed'],
    ),
    ...['GET', 'PUT', 'DELETE'].map(
      (method): Case => [`${method} Refresh`, { method, path: refresh }, 'method_not_allowed'],
    ),
    ...['', 'x', 'inv_', `inv_${'a'.repeat(80)}`, 'x'.repeat(8_000), 'é', '" or 1=1', 'null'].map(
      (bad): Case => [
        `key ${bad.slice(0, 20)}`,
        { path: current, key: bad },
        bad === '' ? 'missing_api_key' : 'invalid_api_key',
      ],
    ),
  ];
}

/** Blanks cannot stand in a request line. */
function encodeBlank(text: string): string {
  return text.replaceAll(' ', '%20').replace(/[^\x21-\x7e]/g, encodeURIComponent);
}
