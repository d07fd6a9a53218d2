import { withCapacity } from './with-capacity.ts';

/**
 * The assets that a scan has otherwise than the head, each with a number, in columns: as objects several
 * hundred thousand of them would take ten times as much memory.
 */
export interface Differences {
  size: number;
  /** In ASCII, one after the other. Their order is that of changes. */
  readonly keys: { bytes: Uint8Array; ends: Uint32Array };
  /** Where the row lies in the head, -1 for none. */
  inHead: Int32Array;
  headBytes: Uint32Array;
  /** Position in the survey, -1 for none. */
  inScan: Int32Array;
}

export interface Difference {
  readonly key: string;
  readonly inHead: number;
  readonly headBytes: number;
  readonly inScan: number;
}

const stepsPerTick = 5_000;

export function openDifferences(): Differences {
  return {
    size: 0,
    keys: { bytes: new Uint8Array(), ends: new Uint32Array() },
    inHead: new Int32Array(),
    headBytes: new Uint32Array(),
    inScan: new Int32Array(),
  };
}

export function addDifference(differences: Differences, added: Difference): void {
  const { size, keys } = differences;
  const { key, inHead, headBytes, inScan } = added;
  const start = startOf(keys, size);
  keys.bytes = withCapacity(keys.bytes, start + key.length);
  for (let at = 0; at < key.length; at += 1) keys.bytes[start + at] = key.charCodeAt(at);
  keys.ends = withCapacity(keys.ends, size + 1);
  keys.ends[size] = start + key.length;
  differences.inHead = withCapacity(differences.inHead, size + 1);
  differences.inHead[size] = inHead;
  differences.headBytes = withCapacity(differences.headBytes, size + 1);
  differences.headBytes[size] = headBytes;
  differences.inScan = withCapacity(differences.inScan, size + 1);
  differences.inScan[size] = inScan;
  differences.size = size + 1;
}

export function differenceKey({ keys }: Differences, number: number): string {
  const { buffer, byteOffset } = keys.bytes;
  const bytes = Buffer.from(buffer, byteOffset);
  return bytes.toString('latin1', startOf(keys, number), keys.ends[number]);
}

/**
 * The numbers of all differences in the order of their keys. Sorted in runs that are merged: the
 * generator pauses after each stretch of work, so that no tick of the event loop sorts all.
 */
export function* orderByKey({ size, keys }: Differences): Generator<void, Uint32Array> {
  let order = new Uint32Array(size).map((_, number) => number);
  for (let from = 0; from < size; from += stepsPerTick) {
    order.subarray(from, from + stepsPerTick).sort((one, other) => compare(keys, one, other));
    yield;
  }
  let merged = new Uint32Array(size);
  for (let run = stepsPerTick; run < size; run *= 2) {
    for (let from = 0; from < size; from += 2 * run) {
      const [left, right] = [order.subarray(from, from + run), order.subarray(from + run)];
      yield* mergeRuns(keys, left, right.subarray(0, run), merged.subarray(from));
    }
    [order, merged] = [merged, order];
  }
  return order;
}

function* mergeRuns(
  keys: Differences['keys'],
  left: Uint32Array,
  right: Uint32Array,
  merged: Uint32Array,
): Generator<void> {
  let [fromLeft, fromRight] = [0, 0];
  while (fromLeft + fromRight < left.length + right.length) {
    const [one = 0, other = 0] = [left[fromLeft], right[fromRight]];
    const isLeft =
      fromRight === right.length || (fromLeft < left.length && compare(keys, one, other) < 0);
    merged[fromLeft + fromRight] = isLeft ? one : other;
    if (isLeft) fromLeft += 1;
    else fromRight += 1;
    if ((fromLeft + fromRight) % stepsPerTick === 0) yield;
  }
}

function compare(keys: Differences['keys'], one: number, other: number): number {
  const { bytes, ends } = keys;
  let [left, right] = [startOf(keys, one), startOf(keys, other)];
  const [leftEnd = 0, rightEnd = 0] = [ends[one], ends[other]];
  while (left < leftEnd && right < rightEnd) {
    const [a = 0, b = 0] = [bytes[left], bytes[right]];
    if (a !== b) return a - b;
    left += 1;
    right += 1;
  }
  return leftEnd - left - (rightEnd - right);
}

function startOf({ ends }: Differences['keys'], number: number): number {
  return number === 0 ? 0 : (ends[number - 1] ?? 0);
}
