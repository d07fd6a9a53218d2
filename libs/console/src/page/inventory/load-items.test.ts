import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { createLineReader } from './load-items.ts';

const row = (assetid: string, name: string) =>
  `${JSON.stringify({
    asset: { appid: 730, contextid: '2', assetid, classid: '1', instanceid: '0', amount: '1' },
    description: { appid: 730, classid: '1', instanceid: '0', name },
  })}\n`;
const rows = row('1', 'Größe') + row('2', '王冠');
const endOf = (lines: string, more = {}) => {
  const sha256 = createHash('sha256').update(lines).digest('hex');
  return `${JSON.stringify({ end: { revision_id: 'invrev_1', rows: 2, sha256, ...more } })}\n`;
};

function read(text: string, cuts: readonly number[] = []) {
  const bytes = Buffer.from(text);
  const reader = createLineReader();
  const places = [...cuts.map((cut) => cut % bytes.length), bytes.length].toSorted((a, b) => a - b);
  let from = 0;
  for (const to of places) {
    reader.take(bytes.subarray(from, to));
    from = to;
  }
  return reader;
}

test('an export may be split anywhere, within a character too', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), (cuts) => {
      const reader = read(rows + endOf(rows), cuts);

      expect(reader.end().revision_id).toBe('invrev_1');
      expect(reader.items.map(({ kind }) => kind?.name)).toEqual(['Größe', 'Größe']);
    }),
  );
});

test.each([
  ['its last line', rows, 'cut'],
  ['the end of its last line', (rows + endOf(rows)).slice(0, -1), 'cut'],
  ['a line', row('1', 'Größe') + endOf(rows), 'digest'],
  ['a byte of a line', `${row('1', 'Grösse')}${row('2', '王冠')}${endOf(rows)}`, 'digest'],
])('an export without %s is not complete', (_what, text, kind) => {
  expect(() => read(text).end()).toThrow(expect.objectContaining({ failure: { kind } }));
});
