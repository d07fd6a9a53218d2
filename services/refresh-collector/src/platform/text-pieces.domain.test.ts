import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import {
  addPiece,
  addRows,
  type OpenText,
  pieceOf,
  type TextPiece,
  written,
  writtenParts,
} from './text-pieces.domain.ts';

const open = (): OpenText => ({ pieces: [] });

/** Rows of one text, some of them replaced by texts of their own. */
const rows = fc
  .array(
    fc.record({
      row: fc.constantFrom('{}', '{"a":1}', '{"b":[,]}'),
      blank: fc.constantFrom('', '', '', ' ', '\n'),
      isDropped: fc.boolean(),
      other: fc.option(fc.constantFrom('{"c":2}', '{}')),
    }),
    { maxLength: 8 },
  )
  .map((given) => {
    const bytes = Buffer.from(given.map(({ row, blank }) => row + blank).join(','));
    let start = 0;
    const placed = given.map(({ row, blank, ...rest }) => {
      const piece = { bytes, start, end: start + row.length };
      start = piece.end + blank.length + 1;
      return { piece, ...rest };
    });
    return placed
      .filter(({ isDropped }) => !isDropped)
      .map(({ piece, other }) => (other === null ? piece : pieceOf(other)));
  });

const textOf = ({ bytes, start, end }: TextPiece) => bytes.toString('utf8', start, end);

const joinsRows = (add: typeof addRows) =>
  fc.property(rows, (some) => {
    const text = open();
    add(text, some);
    expect(written(text).toString()).toBe(some.map(textOf).join(','));
  });

describe('rows in a text', () => {
  it('are separated by one comma each, as they were and where they are others', () => {
    fc.assert(joinsRows(addRows), { numRuns: propertyRuns(1_000) });
  });

  it('are found wrong when neighbours are taken for such whatever is between them', () => {
    const careless: typeof addRows = (text, some) => {
      for (const row of some) {
        const last = text.pieces.at(-1);
        if (last?.bytes === row.bytes) last.end = row.end;
        else addRows(text, [row]);
      }
    };
    expect(fc.check(joinsRows(careless), { seed: 1, numRuns: 1_000 }).failed).toBe(true);
  });

  it('are copied at once where nothing changed between them', () => {
    const bytes = Buffer.from(Array(2_000).fill('{"a":1}').join(','));
    const some = Array.from({ length: 2_000 }, (_, at) => ({
      bytes,
      start: 8 * at,
      end: 8 * at + 7,
    }));
    const text = open();

    addPiece(text, pieceOf('['));
    addRows(text, some);
    addPiece(text, pieceOf(']'));

    expect(text.pieces).toHaveLength(3);
    expect(written(text).toString()).toBe(`[${bytes}]`);
  });

  it('are not copied in parts where they are many together', () => {
    const bytes = Buffer.from(Array(20_000).fill('{"a":1}').join(','));
    const text = open();
    addPiece(text, pieceOf('['));
    addPiece(text, pieceOf('0,'));
    addPiece(text, { bytes, start: 0, end: bytes.length });
    addPiece(text, pieceOf(']'));

    const parts = writtenParts(text);

    expect(parts.map(({ length }) => length)).toEqual([3, bytes.length, 1]);
    expect(parts[1]?.buffer).toBe(bytes.buffer);
    expect(Buffer.concat(parts)).toEqual(written(text));
    expect(writtenParts(open())).toEqual([]);
  });
});
