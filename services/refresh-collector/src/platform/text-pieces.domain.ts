/** A range of bytes: `end` is exclusive. */
export interface TextPiece {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** A text that is put together from pieces. Pieces that are neighbours already are copied as one. */
export interface OpenText {
  readonly pieces: { bytes: Buffer; start: number; end: number }[];
}

export function wholePiece(bytes: Buffer): TextPiece {
  return { bytes, start: 0, end: bytes.length };
}

export function pieceOf(text: string): TextPiece {
  return wholePiece(Buffer.from(text));
}

export function addPiece({ pieces }: OpenText, { bytes, start, end }: TextPiece): void {
  const last = pieces.at(-1);
  if (last?.bytes === bytes && last.end === start) last.end = end;
  else pieces.push({ bytes, start, end });
}

export const comma = pieceOf(',');

/** Adds rows, with commas between them. */
export function addRows<Row extends TextPiece>(
  text: OpenText,
  rows: readonly Row[],
  addRow: (row: Row) => void = (row) => addPiece(text, row),
): void {
  let before: Row | undefined;
  for (const row of rows) {
    if (before) addPiece(text, areNeighbours(before, row) ? between(before, row) : comma);
    addRow(row);
    before = row;
  }
}

/** Whether nothing but a comma is between two rows. */
function areNeighbours({ bytes, end }: TextPiece, next: TextPiece): boolean {
  return next.bytes === bytes && next.start === end + 1 && bytes[end] === comma.bytes[0];
}

function between({ bytes, end }: TextPiece, { start }: TextPiece): TextPiece {
  return { bytes, start: end, end: start };
}

/** From here on a piece is not copied. */
const largePieceMin = 64 * 1024;

/** The text in parts: large pieces as they lie, small ones copied together. */
export function writtenParts({ pieces }: OpenText): Buffer[] {
  const parts: Buffer[] = [];
  let small: OpenText = { pieces: [] };
  const flush = () => {
    if (small.pieces.length > 0) parts.push(written(small));
    small = { pieces: [] };
  };
  for (const piece of pieces) {
    const { bytes, start, end } = piece;
    if (end - start < largePieceMin) {
      small.pieces.push(piece);
      continue;
    }
    flush();
    parts.push(bytes.subarray(start, end));
  }
  flush();
  return parts;
}

export function written({ pieces }: OpenText): Buffer {
  const text = Buffer.allocUnsafe(pieces.reduce((sum, { start, end }) => sum + end - start, 0));
  let at = 0;
  for (const { bytes, start, end } of pieces) at += bytes.copy(text, at, start, end);
  return text;
}
