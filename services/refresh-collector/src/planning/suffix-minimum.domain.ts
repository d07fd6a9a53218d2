/** Numbers that are changed and compared from a place to the end, in logarithmic time. */
/**
 * A tree of minima, the numbers at its leaves. Each node has the minimum below it without what was
 * added to the nodes above it.
 */
export function createSuffixMinimum(numbers: readonly number[]) {
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, numbers.length)));
  const minimum = new Float64Array(2 * size).fill(Number.POSITIVE_INFINITY);
  const added = new Float64Array(2 * size);
  minimum.set(numbers, size);
  for (let node = size - 1; node >= 1; node -= 1) update(node);

  function leastBelow(node: number): number {
    return (minimum[node] ?? Number.POSITIVE_INFINITY) + (added[node] ?? 0);
  }

  function update(node: number): void {
    minimum[node] = Math.min(leastBelow(2 * node), leastBelow(2 * node + 1));
  }

  function at(index: number): number {
    let value = minimum[size + index] ?? Number.POSITIVE_INFINITY;
    for (let node = size + index; node >= 1; node >>= 1) value += added[node] ?? 0;
    return value;
  }

  return {
    /** Adds to every number from `from` on. */
    add(from: number, more: number): void {
      let node = size + from;
      added[node] = (added[node] ?? 0) + more;
      for (; node > 1; node >>= 1) {
        if (node % 2 === 0) added[node + 1] = (added[node + 1] ?? 0) + more;
        update(node >> 1);
      }
    },
    /** The least number from `from` on. */
    least(from: number): number {
      let node = size + from;
      let least = leastBelow(node);
      for (; node > 1; node >>= 1) {
        if (node % 2 === 0) least = Math.min(least, leastBelow(node + 1));
        least += added[node >> 1] ?? 0;
      }
      return least;
    },
    at,
    set(index: number, value: number): void {
      let node = size + index;
      minimum[node] = 0;
      minimum[node] = value - at(index);
      for (; node > 1; node >>= 1) update(node >> 1);
    },
  };
}
