import { casesOf, type MalformedCase } from './malformed-case.ts';

const badIdempotencyKeys = ['', 'x'.repeat(256), 'clé', 'tab\tinside', 'emoji \u00f0\u009f'];

const badTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/xml',
  'application/json;charset=latin1',
  'application/vnd.api+json',
  'json',
  '*/*',
  'application/json, text/plain',
];
const badAccepts = [
  'text/html',
  'application/xml',
  'image/*',
  'application/json;q=0',
  'text/event-stream',
  'text/csv',
  'application/problem+json',
];
const badKeys = ['x', 'inv_', `inv_${'a'.repeat(80)}`, 'x'.repeat(8_000), 'é', '" or 1=1', 'null'];

/** Keys, media types and encodings. */
export function malformedHeaders({
  current,
  refresh,
}: Record<'current' | 'refresh', string>): MalformedCase[] {
  const post = { method: 'POST', path: refresh, body: '{"max_credits":125}' };
  return [
    ...casesOf('invalid_request', badIdempotencyKeys, (value) => ({
      ...{ ...post, what: `Idempotency-Key of ${value.length} characters` },
      headers: { 'Idempotency-Key': value },
    })),
    [
      'Idempotency-Key twice',
      { ...post, headers: { 'Idempotency-Key': ['a', 'b'] } },
      'invalid_request',
    ],
    ...casesOf('unsupported_media_type', badTypes, (type) => ({
      ...{ ...post, what: `Content-Type ${type}`, headers: { 'content-type': type } },
    })),
    ...casesOf(
      'unsupported_media_type',
      ['gzip', 'br', 'deflate', 'x-unknown', 'identity, gzip'],
      (coding) => ({
        ...{ ...post, what: `Content-Encoding ${coding}` },
        headers: { 'content-encoding': coding },
      }),
    ),
    ...casesOf('not_acceptable', badAccepts, (accept) => ({
      ...{ what: `Accept ${accept}`, path: current, headers: { accept } },
    })),
    ['an empty key', { path: current, key: '' }, 'missing_api_key'],
    ...casesOf('invalid_api_key', badKeys, (key) => ({
      ...{ what: `key ${key.slice(0, 20)}`, path: current, key },
    })),
  ];
}
