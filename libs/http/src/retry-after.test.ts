import { readRetryAfter } from './retry-after.ts';

const nowMs = Date.UTC(2026, 10, 21, 10);

it.each([
  ['30', 30_000],
  ['0', 0],
  ['4000000000', 4_000_000_000_000],
  ['Sat, 21 Nov 2026 10:01:00 GMT', 60_000],
  ['Saturday, 21-Nov-26 10:01:00 GMT', 60_000],
  ['Sat Nov 21 10:01:00 2026', 60_000],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
])(
  'Retry-After is read as seconds and as a date in any form of HTTP: %s (RFC 9110, 10.2.3)',
  (header, milliseconds) => {
    expect(readRetryAfter(header, nowMs)).toBe(milliseconds);
  },
);

it.each([
  [null],
  [undefined],
  [''],
  ['soon'],
  ['-1'],
  ['1.5'],
  ['1e3'],
  ['0x10'],
  ['2026-11-21T10:01:00Z'],
  ['Sat, 21 Nov 2026 10:01:00'],
  ['Sat, 99 Nov 2026 10:01:00 GMT'],
  [['30', '60']],
])('Retry-After is read as nothing else: %j', (header) => {
  expect(readRetryAfter(header, nowMs)).toBeNull();
});
