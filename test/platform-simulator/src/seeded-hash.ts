// Taken once: inside a test runner's sandbox every look-up of a global costs more than the hash.
const { imul } = Math;

/** Mixes two 32-bit integers into one, uniformly spread, as an unsigned integer. */
export function mix32(a: number, b: number): number {
  let h = imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ b;
  h = imul(h ^ (h >>> 16), 0x7feb352d);
  h = imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Of all inventories and texts: the same in every run. */
export const seed = 1;

/** A 32-bit hash of a text under a seed (FNV-1a, then mixed). */
export function hashText(seed: number, text: string): number {
  let h = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    h = imul(h ^ text.charCodeAt(index), 0x01000193);
  }
  return mix32(seed, h);
}

/** One entry of a list, chosen by a hash. The list must not be empty. */
export function pick<T>(list: readonly T[], hash: number): T {
  const entry = list[hash % list.length];
  if (entry === undefined) {
    throw new Error('a list to pick from is empty');
  }
  return entry;
}
