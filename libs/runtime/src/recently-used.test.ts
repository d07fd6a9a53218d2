import fc from 'fast-check';
import { createRecentlyUsed } from './recently-used.ts';

it('keeps the entries used last, as many as it may have (architecture: everything is bounded)', () => {
  const use = fc.record({ key: fc.nat(20), isRead: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.array(use), (entriesMax, uses) => {
      const map = createRecentlyUsed<number, string>(entriesMax);
      let expected: number[] = [];
      for (const { key, isRead } of uses) {
        const isUse = !isRead || expected.includes(key);
        if (isRead) expect(map.get(key) !== undefined).toBe(isUse);
        else map.set(key, String(key));
        if (isUse) expected = [key, ...expected.filter((one) => one !== key)].slice(0, entriesMax);
      }
      expect([...map.keys()]).toEqual(expected);
    }),
  );
});
