import type { MalformedCase } from './malformed-case.ts';

const badIdempotencyKeys = ['', 'x'.repeat(256), 'clé', 'tab\tinside', 'emoji \u00f0\u009f'];

/** Keys, media types and encodings. */
export function malformedHeaders({
  current,
  refresh,
}: Record<'current' | 'refresh', string>): MalformedCase[] {
  return [
    ...badIdempotencyKeys.map(
      (value): MalformedCase => [
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
      (type): MalformedCase => [
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
      (encoding): MalformedCase => [
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
      (accept): MalformedCase => [
        `Accept ${accept}`,
        { path: current, headers: { accept } },
        'not_acceptable',
      ],
    ),
    ...['', 'x', 'inv_', `inv_${'a'.repeat(80)}`, 'x'.repeat(8_000), 'é', '" or 1=1', 'null'].map(
      (bad): MalformedCase => [
        `key ${bad.slice(0, 20)}`,
        { path: current, key: bad },
        bad === '' ? 'missing_api_key' : 'invalid_api_key',
      ],
    ),
  ];
}
