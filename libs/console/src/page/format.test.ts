import { formatBytes, formatCredits, formatDuration, formatWord, pagesOf } from './format.ts';

test.each([
  [0, '0 s'],
  [59.6, '1 min'],
  [61, '1 min 1 s'],
  [3_600, '1 h'],
  [5_430, '1 h 30 min'],
  [93_600, '1 d 2 h'],
  [-5, '0 s'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});

test('credits, bytes and words are those that people read', () => {
  expect([formatCredits(1), formatCredits(12_500)]).toEqual(['1 credit', '12,500 credits']);
  expect([formatBytes(10), formatBytes(57_700_000)]).toEqual(['1 kB', '57.7 MB']);
  expect(formatWord('complete_changed')).toBe('Complete changed');
});

test.each([
  [0, 0],
  [1, 1],
  [2_000, 1],
  [2_001, 2],
])('an export of %d rows is charged as %d pages', (rows, pages) => {
  expect(pagesOf(rows)).toBe(pages);
});
