import { type ExportFormat, exportFrames } from '@inventory/contracts/vocabulary';
import { invariant } from '@inventory/runtime/bug';
import { joined } from './byte-parts.ts';

/** Texts in pieces, a comma between two of them; one of length 0 is missing and takes none. */
export interface RunTexts {
  readonly pieces: readonly Buffer[];
  readonly lengths: Uint32Array;
}

/**
 * A run of lines before they are joined: the text of each asset, and each description once. Lines
 * repeat their descriptions, so between two services a run is a fraction of what it is joined.
 */
export interface LineRun {
  readonly assets: RunTexts;
  readonly descriptions: RunTexts;
  /** Which description each asset has. */
  readonly descriptionOf: Uint16Array;
}

/** The bytes of a run: counts, lengths, which description each asset has, then the texts. */
export function writeLineRun({ assets, descriptions, descriptionOf }: LineRun): Buffer[] {
  return [
    viewOf(Uint32Array.of(assets.lengths.length, descriptions.lengths.length)),
    viewOf(assets.lengths),
    viewOf(descriptions.lengths),
    viewOf(descriptionOf),
    ...assets.pieces,
    ...descriptions.pieces,
  ];
}

/** Of a machine's own byte order: services of one deployment share it. */
function viewOf({ buffer, byteOffset, byteLength }: Uint32Array | Uint16Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Room for the lines that are joined at a time, unless one alone is larger. */
export const createLineBuffer = (): Buffer => Buffer.allocUnsafeSlow(256 * 1024);

/**
 * The lines of a run, joined piece by piece as they are taken: each piece overwrites the one before it in
 * the buffer. A text is copied once for each line that it is in, a description with what is around it.
 */
export function* joinLines(
  parts: readonly Buffer[],
  format: ExportFormat,
  buffer: Buffer,
): Generator<Buffer, void, void> {
  const run = readLineRun(joined(parts));
  const rights = framedDescriptions(run, format);
  const { assets, descriptionOf } = run;
  const before = Buffer.from(exportFrames[format].before);
  const rows = assets.lengths.length;
  const sizeOf = (row: number): number =>
    (assets.lengths[row] ?? 0) + (rights.lengths[descriptionOf[row] ?? 0] ?? 0);
  for (let row = 0; row < rows; ) {
    const first = before.length + sizeOf(row);
    const piece = first <= buffer.length ? buffer : Buffer.allocUnsafeSlow(first);
    let at = before.copy(piece);
    for (; row < rows && at + sizeOf(row) <= piece.length; row += 1) {
      at += copyText(assets, row, piece, at);
      at += copyText(rights, descriptionOf[row] ?? 0, piece, at);
    }
    // Behind the last line is what stands before the next one.
    yield piece.subarray(0, at - before.length);
  }
}

/** Texts in one buffer. */
interface PlacedTexts {
  readonly bytes: Buffer;
  readonly lengths: Uint32Array;
  readonly offsets: Uint32Array;
}

function copyText(
  { bytes, lengths, offsets }: PlacedTexts,
  index: number,
  to: Buffer,
  at: number,
): number {
  const start = offsets[index] ?? 0;
  return bytes.copy(to, at, start, start + (lengths[index] ?? 0));
}

/** Each description between what stands before it and before the next asset. */
function framedDescriptions({ descriptions }: ReadRun, format: ExportFormat): PlacedTexts {
  const { before, between, after, missing } = exportFrames[format];
  const absent = Buffer.from(missing);
  const [head, tail] = [Buffer.from(between), Buffer.from(after + before)];
  const lengths = descriptions.lengths.map(
    (length) => head.length + (length || absent.length) + tail.length,
  );
  const offsets = new Uint32Array(lengths.length);
  const bytes = Buffer.allocUnsafeSlow(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const [index, length] of descriptions.lengths.entries()) {
    offsets[index] = at;
    at += head.copy(bytes, at);
    at += length === 0 ? absent.copy(bytes, at) : copyText(descriptions, index, bytes, at);
    at += tail.copy(bytes, at);
  }
  return { bytes, lengths, offsets };
}

interface ReadRun {
  readonly assets: PlacedTexts;
  readonly descriptions: PlacedTexts;
  readonly descriptionOf: Uint16Array;
}

/** Throws for bytes that are no run. */
function readLineRun(bytes: Buffer): ReadRun {
  let at = 0;
  const take = (size: number): Buffer => {
    invariant(at + size <= bytes.length, 'a run of lines is whole');
    at += size;
    return bytes.subarray(at - size, at);
  };
  const [rows = 0, count = 0] = new Uint32Array(copyOf(take(8)));
  const assetLengths = new Uint32Array(copyOf(take(4 * rows)));
  const descriptionLengths = new Uint32Array(copyOf(take(4 * count)));
  const descriptionOf = new Uint16Array(copyOf(take(2 * rows)));
  const assets = placed(bytes, assetLengths, at);
  const descriptions = placed(bytes, descriptionLengths, assets.end);
  invariant(descriptions.end === bytes.length, 'a run of lines is whole');
  invariant(
    descriptionOf.every((index) => index < count),
    'every asset of a run has a place for its description',
  );
  return { assets, descriptions, descriptionOf };
}

/** Numbers may begin at any byte. */
function copyOf(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

function placed(
  bytes: Buffer,
  lengths: Uint32Array,
  start: number,
): PlacedTexts & { readonly end: number } {
  const offsets = new Uint32Array(lengths.length);
  let at = start;
  for (const [index, length] of lengths.entries()) {
    if (length > 0 && at > start) at += 1;
    offsets[index] = at;
    at += length;
  }
  return { bytes, lengths, offsets, end: at };
}
