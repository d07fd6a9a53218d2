/**
 * JSON texts joined by commas, ready to be put between the brackets of an array, with each one's
 * length in bytes: any run of them is a slice of the bytes. Length 0 is a text that is missing; it
 * takes no comma.
 */
export interface JoinedTexts {
  readonly bytes: Buffer;
  readonly lengths: Uint32Array;
}

const comma = Buffer.from(',');

export function joinTexts(texts: readonly (Buffer | undefined)[]): JoinedTexts {
  const present = texts.filter((text) => text !== undefined);
  return {
    bytes: Buffer.concat(joinPieces(present)),
    lengths: Uint32Array.from(texts, (text) => text?.length ?? 0),
  };
}

/** The texts from `from` (inclusive) to `to` (exclusive), joined by commas. */
export function sliceTexts(joined: JoinedTexts, from: number, to: number): Buffer {
  if (from === 0 && to === joined.lengths.length) return joined.bytes;
  const start = offsetOf(joined.lengths, 0, 0, from);
  const end = offsetOf(joined.lengths, start, from, to);
  // Each text counts with the comma after it; the last one's does not belong to the slice.
  return joined.bytes.subarray(start, Math.max(start, end - 1));
}

/** The wanted texts in their order, neighbours in one piece. */
export function pickTexts(joined: JoinedTexts, wanted: (index: number) => boolean): Buffer[] {
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
