import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { systemIdentifiers, uuidV5, uuidV7From } from './identifiers.ts';

const uuidPattern =
  /^[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-([89ab])[0-9a-f]{3}-[0-9a-f]{12}$/;
const namespaceDns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
const timeMax = 2 ** 48 - 1;

test('a UUIDv7 is the one of RFC 9562, appendix A.6', () => {
  const random = Buffer.from('0cc318c4dc0c0c07398f', 'hex');

  // The example of the standard: its time, and its random bits where version and variant leave room.
  expect(uuidV7From(0x017f22e279b0, random)).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
});

test('a UUIDv5 is the one of RFC 9562, appendix A.4', () => {
  expect(uuidV5(namespaceDns, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
});

test('a UUIDv7 has its version, its variant and its time, whatever the random bytes', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: timeMax }),
      fc.uint8Array({ minLength: 10, maxLength: 10 }),
      (timeMs, random) => {
        const id = uuidV7From(timeMs, random);
        expect(uuidPattern.exec(id)?.[1]).toBe('7');
        expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(timeMs);
      },
    ),
    { numRuns: propertyRuns(300) },
  );
});

test('ids of a later millisecond sort after those of an earlier one', () => {
  const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: timeMax }), { minLength: 2, maxLength: 2 }),
      bytes,
      bytes,
      ([one = 0, other = 0], random, otherRandom) => {
        const [earlier, later] = [Math.min(one, other), Math.max(one, other)];
        expect(uuidV7From(earlier, random) < uuidV7From(later, otherRandom)).toBe(true);
      },
    ),
    { numRuns: propertyRuns(300) },
  );
});

test('the same name in the same namespace is the same id, any other name another one', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.string(), fc.string(), (namespace, name, other) => {
      const id = uuidV5(namespace, name);
      expect(uuidPattern.exec(id)?.[1]).toBe('5');
      expect(uuidV5(namespace.toUpperCase(), name)).toBe(id);
      expect(uuidV5(namespace, other) === id).toBe(name === other);
    }),
    { numRuns: propertyRuns(300) },
  );
});

test('ids minted by the process itself are all different', () => {
  const minted = Array.from({ length: 10_000 }, () => systemIdentifiers.uuidV7());

  expect(new Set(minted).size).toBe(minted.length);
  for (const id of minted.slice(0, 100)) expect(id).toMatch(uuidPattern);
});
