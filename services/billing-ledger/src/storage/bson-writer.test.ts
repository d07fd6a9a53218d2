import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { BSON } from 'mongodb';
import { bsonElements } from './bson-writer.ts';

/** What the driver puts on the wire, without the length and the terminator. */
const asTheDriver = (document: object) => Buffer.from(BSON.serialize(document)).subarray(4, -1);
const isEqual = (document: object) => asTheDriver(document).equals(bsonElements(document));

const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
const name = fc.string({ minLength: 1 }).map((given) => `n${given.replaceAll('\0', '')}`);
const { document } = fc.letrec((tie) => ({
  document: fc.dictionary(name, tie('value'), { maxKeys: 5 }),
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.maxSafeInteger(),
    fc.double(),
    fc.date({ noInvalidDate: true }),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc.array(tie('value'), { maxLength: 12 }),
    tie('document'),
  ),
}));

describe('The bytes a commit is hashed over', () => {
  test('are those that the driver stores, whatever they say', () => {
    fc.assert(
      fc.property(document, (any) => isEqual(any as object)),
      { numRuns: propertyRuns(3_000) },
    );
  });

  test.each([
    ['the ends of 32 bits', { a: 2 ** 31 - 1, b: -(2 ** 31), c: 2 ** 31, d: -(2 ** 31) - 1 }],
    ['a negative zero', { a: -0 }],
    ['a broken character', { a: '\ud800 and \udc00' }],
    ['a null character', { a: 'before\0after' }],
    ['times before 1970', { a: new Date(-1) }],
    ['nothing', {}],
    ['nothing inside', { a: [], b: {}, c: '' }],
  ])('are those that the driver stores for %s', (_what, special) => {
    expect(isEqual(special)).toBe(true);
  });

  test('are never more than fit', () => {
    expect(() => bsonElements({ a: 'x'.repeat(5 * 1024 * 1024) })).toThrow(RangeError);
  });
});
