import { type ExportFormat, exportFrames } from '@inventory/contracts/vocabulary';
import { invariant } from '@inventory/runtime/bug';
import { freeBytes } from '@inventory/runtime/free-bytes';
import { type PackedBytes, unpack } from '@inventory/runtime/packed-bytes';
import { bytesOf, joined } from './byte-parts.ts';

/** Texts with a comma between two of them; one of length 0 is missing and takes none. */
export interface RunTexts {
  /** In pieces as they are, or packed. */
  readonly bytes: readonly Buffer[] | PackedBytes;
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
  /** The first asset that has a line. */
  readonly firstRow: number;
}

/** The bytes of a run: counts, lengths, which description each asset has, then the texts. */
export function writeLineRun({ assets, descriptions, descriptionOf, firstRow }: LineRun): Buffer[] {
  const groups = [assets, descriptions].map(({ bytes }) => {
    if (!('packed' in bytes)) return { pieces: bytes, rawBytes: 0 };
    const { packed, rawBytes } = bytes;
    return { pieces: rawBytes > 0 ? [packed] : [], rawBytes };
  });
  return [
    viewOf(
      Uint32Array.of(
        assets.lengths.length,
        descriptions.lengths.length,
        firstRow,
        ...groups.flatMap(({ pieces, rawBytes }) => [bytesOf(pieces), rawBytes]),
      ),
    ),
    viewOf(assets.lengths),
    viewOf(descriptions.lengths),
    viewOf(descriptionOf),
    ...groups.flatMap(({ pieces }) => pieces),
  ];
}

/** Of a machine's own byte order: services of one deployment share it. */
function viewOf({ buffer, byteOffset, byteLength }: Uint32Array | Uint16Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Joins the lines of one run after another. */
export type LineJoiner = (parts: readonly Buffer[]) => Generator<Buffer, void, void>;

/**
 * Lines are joined piece by piece as they are taken: each piece overwrites the one before it, in a buffer
 * of `pieceBytes` unless one line alone is larger. A text is copied once for each line that it is in, a
 * description with what is around it. A piece that fits into a core's own cache is joined, hashed and
 * sent in fewer cycles.
 */
export function createLineJoiner(format: ExportFormat, pieceBytes = 128 * 1024): LineJoiner {
  const buffer = Buffer.allocUnsafeSlow(pieceBytes);
  const frame = createFrame(format);
  const before = Buffer.from(exportFrames[format].before);
  return function* join(parts) {
    const bytes = joined(parts);
    const run = readLineRun(bytes, format);
    const rights = frame(run.descriptions);
    const ends = lineEnds(run, rights.lengths);
    for (let row = run.firstRow; row < ends.length; ) {
      const start = ends[row - 1] ?? 0;
      const size = before.length + (ends[row] ?? 0) - start;
      const piece = size <= buffer.length ? buffer : Buffer.allocUnsafeSlow(size);
      const first = row;
      const endMax = start + piece.length - before.length;
      while (row < ends.length && (ends[row] ?? 0) <= endMax) row += 1;
      before.copy(piece);
      const end = copyLines(run, rights, { first, end: row }, piece, before.length);
      // After the last line is what precedes the next one.
      yield piece.subarray(0, end - before.length);
    }
    for (const read of [run.assets.bytes, run.descriptions.bytes, bytes]) freeBytes(read);
  };
}

/** How long the lines are up to each one's end. */
function lineEnds({ assets, descriptionOf }: ReadRun, rights: Uint32Array): Float64Array {
  const ends = new Float64Array(assets.lengths.length);
  let end = 0;
  for (let row = 0; row < ends.length; row += 1) {
    end += (assets.lengths[row] ?? 0) + (rights[descriptionOf[row] ?? 0] ?? 0);
    ends[row] = end;
  }
  return ends;
}

/** Copies the lines of these rows to `at`; where they end. */
function copyLines(
  { assets, descriptionOf }: ReadRun,
  rights: LocatedTexts,
  rows: { readonly first: number; readonly end: number },
  to: Buffer,
  at: number,
): number {
  let end = at;
  for (let row = rows.first; row < rows.end; row += 1) {
    end += copyText(assets, row, to, end);
    end += copyText(rights, descriptionOf[row] ?? 0, to, end);
  }
  return end;
}

/** Texts in one buffer. */
interface LocatedTexts {
  readonly bytes: Buffer;
  readonly lengths: Uint32Array;
  readonly offsets: Uint32Array;
}

function copyText(
  { bytes, lengths, offsets }: LocatedTexts,
  index: number,
  to: Buffer,
  at: number,
): number {
  const start = offsets[index] ?? 0;
  return bytes.copy(to, at, start, start + (lengths[index] ?? 0));
}

/** Puts each description between what precedes it and the next asset, at its own index. */
function createFrame(format: ExportFormat): (descriptions: LocatedTexts) => LocatedTexts {
  const { before, between, after, missing } = exportFrames[format];
  const absent = Buffer.from(missing);
  const [head, tail] = [Buffer.from(between), Buffer.from(after + before)];
  let bytes = Buffer.alloc(0);
  return (descriptions) => {
    const lengths = descriptions.lengths.map(
      (length) => head.length + (length || absent.length) + tail.length,
    );
    const offsets = new Uint32Array(lengths.length);
    const size = lengths.reduce((sum, length) => sum + length, 0);
    if (bytes.length < size) bytes = Buffer.allocUnsafeSlow(size);
    let at = 0;
    for (const [index, length] of descriptions.lengths.entries()) {
      offsets[index] = at;
      at += head.copy(bytes, at);
      at += length === 0 ? absent.copy(bytes, at) : copyText(descriptions, index, bytes, at);
      at += tail.copy(bytes, at);
    }
    return { bytes, lengths, offsets };
  };
}

interface ReadRun {
  readonly assets: LocatedTexts;
  readonly descriptions: LocatedTexts;
  readonly descriptionOf: Uint16Array;
  readonly firstRow: number;
}

/** Throws for bytes that are no run. */
function readLineRun(bytes: Buffer, format: ExportFormat): ReadRun {
  let at = 0;
  const take = (size: number): Buffer => {
    invariant(at + size <= bytes.length, 'a run of lines is whole');
    at += size;
    return bytes.subarray(at - size, at);
  };
  const numbers = (count: number) => new Uint32Array(copyOf(take(4 * count)));
  const [rows = 0, count = 0, firstRow = 0, ...sizes] = numbers(7);
  const assetLengths = numbers(rows);
  const descriptionLengths = numbers(count);
  const descriptionOf = new Uint16Array(copyOf(take(2 * rows)));
  const texts = (lengths: Uint32Array, [size = 0, rawBytes = 0]: readonly number[]) => {
    const taken = take(size);
    return placed(
      onOneLine(rawBytes ? unpack({ packed: taken, rawBytes }) : taken, format),
      lengths,
    );
  };
  const assets = texts(assetLengths, sizes.slice(0, 2));
  const descriptions = texts(descriptionLengths, sizes.slice(2));
  invariant(at === bytes.length, 'a run of lines is whole');
  invariant(
    descriptionOf.every((index) => index < count),
    'every asset of a run names one of its descriptions',
  );
  return { assets, descriptions, descriptionOf, firstRow };
}

/** Numbers may begin at any byte. */
function copyOf(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

const [lineFeed, carriageReturn, space] = [0x0a, 0x0d, 0x20];

/** JSON may be broken between its tokens; within its texts line breaks are escaped. */
function onOneLine(bytes: Buffer, format: ExportFormat): Buffer {
  if (format !== 'ndjson') return bytes;
  if (!bytes.includes(lineFeed) && !bytes.includes(carriageReturn)) return bytes;
  return Buffer.from(
    bytes.map((byte) => (byte === lineFeed || byte === carriageReturn ? space : byte)),
  );
}

function placed(bytes: Buffer, lengths: Uint32Array): LocatedTexts {
  const offsets = new Uint32Array(lengths.length);
  let at = 0;
  for (let index = 0; index < lengths.length; index += 1) {
    const length = lengths[index] ?? 0;
    if (length > 0 && at > 0) at += 1;
    offsets[index] = at;
    at += length;
  }
  invariant(at === bytes.length, 'the texts of a run are whole');
  return { bytes, lengths, offsets };
}
