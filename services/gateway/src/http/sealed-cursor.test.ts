import { randomBytes } from 'node:crypto';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { type CursorSealer, createCursorSealer } from './sealed-cursor.ts';

/** Planted faults are found from this seed on, in every run alike. */
const faultRuns = { seed: 7, numRuns: 12_000, endOnFailure: true };

const first = Buffer.alloc(32, 1).toString('base64url');
const second = Buffer.alloc(32, 2).toString('base64url');
const sealer = createCursorSealer([first, second]);

const binding = fc.tuple(
  fc.constantFrom('current', 'refreshes'),
  fc.constantFrom('acc_1', 'acc_2', 'acc_3'),
  fc.constantFrom('1/730/2', '1/730/6', '12/73/2'),
  fc.constantFrom('english', 'german'),
);
const content = fc.string({ maxLength: 200 });

/** One change to a genuine cursor, without the key. */
const mutation = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), bit: fc.nat(7) }),
  fc.record({ kind: fc.constant('spell' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
  fc.record({
    kind: fc.constant('append' as const),
    text: fc.string({ minLength: 1, maxLength: 8 }),
  }),
  fc.record({ kind: fc.constant('drop' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('replace' as const), text: fc.base64String({ maxLength: 200 }) }),
);
type Mutation = typeof mutation extends fc.Arbitrary<infer Value> ? Value : never;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function mutate(cursor: string, change: Mutation): string {
  switch (change.kind) {
    case 'flip': {
      const bytes = Buffer.from(cursor, 'base64url');
      const at = change.at % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ (1 << change.bit);
      return bytes.toString('base64url');
    }
    case 'spell': {
      const last = alphabet.indexOf(cursor.at(-1) ?? '');
      return cursor.slice(0, -1) + alphabet[(last + 1 + (change.at % 63)) % 64];
    }
    case 'cut':
      return cursor.slice(0, change.at % cursor.length);
    case 'append':
      return cursor + change.text;
    case 'drop': {
      const at = change.at % cursor.length;
      return cursor.slice(0, at) + cursor.slice(at + 1);
    }
    case 'replace':
      return change.text;
  }
}

const refusesForgeries = (tested: CursorSealer) =>
  fc.property(content, binding, mutation, (text, bound, change) => {
    const cursor = tested.seal(text, bound);
    const forged = mutate(cursor, change);
    fc.pre(forged !== cursor);
    return tested.open(forged, bound) === null;
  });

const refusesForeignBindings = (tested: CursorSealer) =>
  fc.property(content, binding, binding, (text, own, foreign) => {
    fc.pre(own.join() !== foreign.join());
    return tested.open(tested.seal(text, own), foreign) === null;
  });

test('a forged, mutated or truncated cursor is never opened (Reads: cursors) [cursors]', () => {
  fc.assert(refusesForgeries(sealer), { numRuns: propertyRuns(3_000) });
});

test("another account's, route's, scope's or language's cursor is never opened [cursors]", () => {
  fc.assert(refusesForeignBindings(sealer), { numRuns: propertyRuns(3_000) });
});

test('a genuine cursor opens to what was sealed [cursors]', () => {
  fc.assert(
    fc.property(
      content,
      binding,
      (text, bound) => sealer.open(sealer.seal(text, bound), bound) === text,
    ),
    { numRuns: propertyRuns(1_000) },
  );
});

test('a cursor does not show what it carries, and no two are alike [cursors]', () => {
  const sealed = sealer.seal('position 4711', ['current']);

  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('4711');
  expect(sealer.seal('position 4711', ['current'])).not.toBe(sealed);
});

test('keys can be replaced: every known key opens, only the first one seals [bookings]', () => {
  const before = createCursorSealer([first]).seal('kept', ['current']);
  const rotated = createCursorSealer([second, first]);
  const after = rotated.seal('kept', ['current']);

  expect(rotated.open(before, ['current'])).toBe('kept');
  expect(createCursorSealer([second]).open(after, ['current'])).toBe('kept');
  expect(createCursorSealer([first]).open(after, ['current'])).toBeNull();
  expect(
    createCursorSealer([randomBytes(32).toString('base64url')]).open(before, ['current']),
  ).toBeNull();
});

describe('the properties notice a sealer that', () => {
  const plain: CursorSealer = {
    seal: (text, bound) => Buffer.from(JSON.stringify([text, bound])).toString('base64url'),
    open(cursor, bound) {
      try {
        const [text, sealed] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
        return JSON.stringify(sealed) === JSON.stringify(bound) ? String(text) : null;
      } catch {
        return null;
      }
    },
  };

  test('does not authenticate', () => {
    expect(fc.check(refusesForgeries(plain), faultRuns).failed).toBe(true);
  });

  test('takes any spelling of the same bytes', () => {
    const lenient: CursorSealer = {
      seal: sealer.seal,
      open: (cursor, bound) =>
        sealer.open(Buffer.from(cursor, 'base64url').toString('base64url'), bound),
    };
    expect(fc.check(refusesForgeries(lenient), faultRuns).failed).toBe(true);
  });

  test.each([0, 1, 2, 3])('is not bound to part %i of the binding', (part) => {
    const without = (bound: readonly string[]) => bound.filter((_, index) => index !== part);
    const unbound: CursorSealer = {
      seal: (text, bound) => sealer.seal(text, without(bound)),
      open: (cursor, bound) => sealer.open(cursor, without(bound)),
    };
    expect(fc.check(refusesForeignBindings(unbound), faultRuns).failed).toBe(true);
  });
});
