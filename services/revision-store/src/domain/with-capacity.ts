/** The same numbers, moved to a larger array where theirs is too small; zeros after them. */
export function withCapacity<Numbers extends Uint8Array | Uint32Array | Int32Array | Float64Array>(
  numbers: Numbers,
  length: number,
): Numbers {
  if (length <= numbers.length) return numbers;
  const larger = Math.max(length, 2 * numbers.length) * numbers.BYTES_PER_ELEMENT;
  const moved = (numbers.buffer as ArrayBuffer).transfer(larger);
  return new (numbers.constructor as new (buffer: ArrayBuffer) => Numbers)(moved);
}
