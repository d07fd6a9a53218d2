import fc from 'fast-check';
import { z } from 'zod';
import { orNull, strictWire, time, utcDay, wire } from './wire.ts';

const noun = wire({
  refreshId: z.string(),
  requestedAtMs: time,
  completedAtMs: time.nullable(),
  freshness: orNull(wire({ maxAgeSeconds: z.int(), priceVersion: z.int() })),
  watchId: orNull(z.string()),
  atMs: time,
  change: z.discriminatedUnion('sets', [
    wire({ sets: z.literal('cap'), spendCap: z.int() }),
    wire({ sets: z.literal('start'), startsAtMs: time.nullable() }),
  ]),
  unitsCharged: z.int().nullable().optional(),
  counts: z.record(z.string(), z.int()),
});

const times = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
const values = fc.record(
  {
    refreshId: fc.string(),
    requestedAtMs: times,
    completedAtMs: fc.option(times),
    freshness: fc.option(fc.record({ maxAgeSeconds: fc.nat(), priceVersion: fc.nat() })),
    watchId: fc.option(fc.string()),
    atMs: times,
    change: fc.oneof(
      fc.record({ sets: fc.constant('cap' as const), spendCap: fc.nat() }),
      fc.record({ sets: fc.constant('start' as const), startsAtMs: fc.option(times) }),
    ),
    unitsCharged: fc.option(fc.nat()),
    counts: fc.dictionary(fc.constantFrom('some_key', 'someKey', 'atMs'), fc.nat()),
  },
  {
    requiredKeys: [
      'refreshId',
      'requestedAtMs',
      'completedAtMs',
      'freshness',
      'watchId',
      'atMs',
      'change',
      'counts',
    ],
  },
);

describe('a noun of the wire', () => {
  it('is decoded as it was encoded, by way of JSON text', () => {
    fc.assert(
      fc.property(values, (value) => {
        const text = JSON.stringify(z.encode(noun, value));
        expect(z.decode(noun, JSON.parse(text))).toEqual(value);
      }),
    );
  });

  it('has snake_case names and ISO text on the wire, and keys of records as they are', () => {
    const points = wire({ atMs: time, failingSinceMs: time, durationMs: z.int() });
    const [atMs, at] = [Date.UTC(2026, 0, 15), '2026-01-15T00:00:00.000Z'];
    expect(z.encode(points, { atMs, failingSinceMs: atMs, durationMs: 7 })).toEqual({
      at,
      failing_since: at,
      duration_ms: 7,
    });
    const value = {
      refreshId: 'r',
      requestedAtMs: Date.UTC(2026, 0, 15),
      completedAtMs: null,
      freshness: { maxAgeSeconds: 60, priceVersion: 3 },
      watchId: null,
      atMs: 0,
      change: { sets: 'cap', spendCap: 5 } as const,
      counts: { someKey: 1 },
    };
    expect(JSON.parse(JSON.stringify(z.encode(noun, value)))).toEqual({
      refresh_id: 'r',
      requested_at: '2026-01-15T00:00:00.000Z',
      completed_at: null,
      freshness: { max_age_seconds: 60, price_version: 3 },
      at: '1970-01-01T00:00:00.000Z',
      change: { sets: 'cap', spend_cap: 5 },
      counts: { someKey: 1 },
    });
  });

  it('has the default of an absent field, and a field that may be absent only where it is sent', () => {
    const change = strictWire({
      expiresAtMs: time.nullable().default(null),
      startsAtMs: time.exactOptional(),
    });
    const atMs = Date.UTC(2026, 0, 15);

    expect(z.decode(change, {})).toEqual({ expiresAtMs: null });
    expect(z.encode(change, { expiresAtMs: atMs, startsAtMs: atMs })).toEqual({
      expires_at: '2026-01-15T00:00:00.000Z',
      starts_at: '2026-01-15T00:00:00.000Z',
    });
  });

  it('ignores unknown fields of a message, refuses those of a customer, and names an issue by the wire', () => {
    const sent = { refresh_id: 'r', extra: 1 };
    expect(z.decode(wire({ refreshId: z.string() }), sent)).toEqual({ refreshId: 'r' });
    const strict = strictWire({ refreshId: z.string() }).safeParse(sent);
    expect(strict.error?.issues[0]).toMatchObject({ code: 'unrecognized_keys', keys: ['extra'] });
    const missing = wire({ requestedAtMs: time }).safeParse({});
    expect(missing.error?.issues[0]?.path).toEqual(['requested_at']);
  });

  it('throws a ZodError for a value that its own schema refuses, in either direction', () => {
    const one = wire({ requestedAtMs: time, count: z.int().min(1) });
    expect(() => z.encode(one, { requestedAtMs: 0, count: 0 })).toThrow(z.ZodError);
    expect(() => z.decode(one, { requested_at: 'today', count: 1 })).toThrow(z.ZodError);
  });

  it('is told from other forms of a union by its discriminating field, in either direction', () => {
    const union = z.discriminatedUnion('decision', [
      wire({ decision: z.literal('accepted'), deadlineAtMs: time }),
      wire({ decision: z.literal('refused'), retryAfterSeconds: z.int() }),
    ]);
    const value = { decision: 'refused', retryAfterSeconds: 1 } as const;
    const sent = { decision: 'refused', retry_after_seconds: 1 };
    expect(z.encode(union, value)).toEqual(sent);
    expect(union.parse(sent)).toEqual(value);
  });
});

it('counts the UTC days of every date since the epoch, leap days too, in either direction', () => {
  fc.assert(
    fc.property(fc.integer({ min: -719_528, max: 2_932_896 }), (day) => {
      const text = z.encode(utcDay, day);
      expect(text).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(z.decode(utcDay, text)).toBe(day);
    }),
  );
  expect([z.encode(utcDay, 0), z.decode(utcDay, '1970-03-01')]).toEqual(['1970-01-01', 59]);
});
