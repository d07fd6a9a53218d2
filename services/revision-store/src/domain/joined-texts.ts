/**
 * JSON texts joined by commas, ready to be put between the brackets of an array, with each one's
 * length in bytes: any run of them is a slice of the bytes. Length 0 is a text that is missing; it
 * takes no comma.
 */
export interface JoinedTexts {
  readonly bytes: Buffer;
  readonly lengths: Uint32Array;
}

/** Consecutive texts of a block, stored together; `from` is the row of the first. */
export interface TextPart {
  readonly from: number;
  readonly joined: JoinedTexts;
}

const comma = Buffer.from(',');

/**
 * The rows at which the parts of a block begin: each takes as many texts as are no larger than
 * `bytesMax` together, and at least one.
 */
export function cutByBytes(lengths: Uint32Array, bytesMax: number): number[] {
  const starts = [0];
  let bytes = 0;
  for (const [row, length] of lengths.entries()) {
    const size = joinedBytes(length);
    if (bytes > 0 && bytes + size > bytesMax) {
      starts.push(row);
      bytes = 0;
    }
    bytes += size;
  }
  return starts;
}

/** What a text takes among others, with a comma; nothing when it is missing. */
export function joinedBytes(length = 0): number {
  return length === 0 ? 0 : length + 1;
}

/** The row after the last one of a part. */
export function partEnd(starts: readonly number[], part: number, rows: number): number {
  return starts[part + 1] ?? rows;
}

export function joinTexts(texts: readonly (Buffer | undefined)[]): JoinedTexts {
  const present = texts.filter((text) => text !== undefined);
  return {
    bytes: Buffer.concat(joinPieces(present)),
    lengths: Uint32Array.from(texts, (text) => text?.length ?? 0),
  };
}

/** Joined texts that are put in one by one, in any order. */
export interface OpenTexts extends JoinedTexts {
  /** Where each text begins. */
  readonly offsets: Uint32Array;
}

export function openTexts(lengths: Uint32Array): OpenTexts {
  const { offsets, end } = offsetsIn(lengths);
  return { bytes: Buffer.alloc(Math.max(0, end - 1), comma), lengths, offsets };
}

/** Where each of joined texts begins, and the position after the comma of the last. */
export function offsetsIn(lengths: Uint32Array): {
  readonly offsets: Uint32Array;
  readonly end: number;
} {
  const offsets = new Uint32Array(lengths.length);
  let end = 0;
  for (const [row, length] of lengths.entries()) {
    offsets[row] = end;
    end += joinedBytes(length);
  }
  return { offsets, end };
}

/**
 * Puts the text of a row, which begins at `start` in `from`, at its offset. False where it is not
 * all there.
 */
export function putText(
  { bytes, lengths, offsets }: OpenTexts,
  row: number,
  from: Buffer,
  start: number,
): boolean {
  const length = lengths[row] ?? 0;
  const copied = from.copy(bytes, offsets[row] ?? 0, start, start + length);
  return copied === length;
}

/** A copy of the wanted texts alone, each in its row, so that a few do not keep the others in memory. */
export function keepTexts(joined: JoinedTexts, wanted: (row: number) => boolean): JoinedTexts {
  let offset = 0;
  const texts = Array.from(joined.lengths, (length, row) => {
    const start = offset;
    if (length > 0) offset += length + 1;
    return length > 0 && wanted(row) ? joined.bytes.subarray(start, start + length) : undefined;
  });
  return joinTexts(texts);
}

/** The texts from `from` (inclusive) to `to` (exclusive), in pieces. */
export function sliceParts(parts: readonly TextPart[], from: number, to: number): Buffer[] {
  return parts.flatMap(({ from: start, joined }) => {
    const first = Math.max(0, from - start);
    const last = Math.min(joined.lengths.length, to - start);
    return first < last ? [sliceTexts(joined, first, last)] : [];
  });
}

/** The wanted texts in their order, neighbours in one piece. */
export function pickFromParts(
  parts: readonly TextPart[],
  wanted: (row: number) => boolean,
): Buffer[] {
  return parts.flatMap(({ from, joined }) => pickTexts(joined, (row) => wanted(from + row)));
}

/** The texts from `from` (inclusive) to `to` (exclusive), joined by commas. */
function sliceTexts(joined: JoinedTexts, from: number, to: number): Buffer {
  if (from === 0 && to === joined.lengths.length) return joined.bytes;
  const start = offsetOf(joined.lengths, 0, 0, from);
  const end = offsetOf(joined.lengths, start, from, to);
  // Each text counts with the comma after it; the last one's does not belong to the slice.
  return joined.bytes.subarray(start, Math.max(start, end - 1));
}

function pickTexts(joined: JoinedTexts, wanted: (index: number) => boolean): Buffer[] {
  const pieces: Buffer[] = [];
  let offset = 0;
  let runStart = -1;
  const endRun = (): void => {
    if (runStart >= 0) pieces.push(joined.bytes.subarray(runStart, offset - 1));
    runStart = -1;
  };
  for (const [index, length] of joined.lengths.entries()) {
    if (length === 0) continue;
    if (!wanted(index)) endRun();
    else if (runStart < 0) runStart = offset;
    offset += length + 1;
  }
  endRun();
  return pieces;
}

/** Puts commas between pieces that are not empty. */
export function joinPieces(pieces: readonly Buffer[]): Buffer[] {
  return pieces
    .filter((piece) => piece.length > 0)
    .flatMap((piece, index) => (index === 0 ? [piece] : [comma, piece]));
}

function offsetOf(lengths: Uint32Array, start: number, from: number, to: number): number {
  let offset = start;
  for (let index = from; index < to; index += 1) {
    const length = lengths[index] ?? 0;
    if (length > 0) offset += length + 1;
  }
  return offset;
}
