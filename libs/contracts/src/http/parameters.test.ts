import { queryTime, requestTime } from './parameters.ts';

test.each([
  ['2026-01-15T10:00:00.000Z', '2026-01-15T10:00:00.000Z'],
  ['2026-01-15T10:00:00Z', '2026-01-15T10:00:00.000Z'],
  ['2026-01-15T10:00:00+00:00', '2026-01-15T10:00:00.000Z'],
  ['2026-01-15T10:00:00-00:00', '2026-01-15T10:00:00.000Z'],
  ['2026-01-15T10:00:00+05:30', '2026-01-15T04:30:00.000Z'],
  ['2026-01-01T00:30:00.5-23:59', '2026-01-02T00:29:00.500Z'],
  ['2026-01-15t10:00:00.123456789z', '2026-01-15T10:00:00.123Z'],
  ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
])('a request may state the time %s, which is %s (Transport: RFC 3339)', (given, utc) => {
  expect([requestTime, queryTime].map((time) => time.parse(given))).toEqual([utc, utc]);
});

test.each([
  '',
  'now',
  '2026-01-15',
  '2026-01-15T10:00:00',
  '2026-01-15T10:00Z',
  '2026-01-15T10:00:00+0000',
  '2026-01-15T10:00:00+24:00',
  '2026-01-15T24:00:00Z',
  '2026-02-29T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '+02026-01-15T10:00:00Z',
  '0000-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  ' 2026-01-15T10:00:00Z',
  '1768471200000',
])('a request cannot state the time %j (Transport: RFC 3339)', (given) => {
  expect([requestTime, queryTime].map((time) => time.safeParse(given).success)).toEqual([
    false,
    false,
  ]);
});

test('a plus sign that is not encoded in a query is one all the same (Transport: RFC 3339)', () => {
  const decoded = new URLSearchParams('at=2026-01-15T10:00:00+01:00').get('at') ?? '';

  expect(queryTime.parse(decoded)).toBe('2026-01-15T09:00:00.000Z');
  expect(requestTime.safeParse(decoded).success).toBe(false);
});
