import { isMissed, lessIsBetter, moreIsBetter, reported, toTable } from './row.ts';

const waitsForEver = lessIsBetter({
  name: 'wait',
  value: Number.POSITIVE_INFINITY,
  unit: '',
  yardstick: 2,
  floor: 1,
});

test('a figure misses its floor by its ratio, and none without a floor', () => {
  const paid = (value: number) =>
    moreIsBetter({ name: 'paid', value, unit: 'pages', yardstick: 100, floor: 0.9 });

  expect([89, 90].map((pages) => isMissed(paid(pages)))).toEqual([true, false]);
  expect(isMissed(reported('without a floor', 0, ''))).toBe(false);
  expect(isMissed(waitsForEver)).toBe(true);
});

test('the table says which figure misses its floor', () => {
  expect(toTable([waitsForEver])).toMatch(/wait .*0\.00 .*1\.00 .*missed/);
});
