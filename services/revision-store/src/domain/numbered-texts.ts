/** Texts one behind the other, and where each ends. */
export interface PackedTexts {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

/**
 * Texts numbered in the order in which they came, each once. In flat memory: as strings in a map,
 * hundreds of thousands would take five times as much, and each collection of garbage would visit them.
 */
export interface NumberedTexts {
  size: number;
  bytes: Uint8Array;
  ends: Uint32Array;
  hashes: Uint32Array;
  /** Numbers, each plus one, behind their hashes; a power of two, at most half full. */
  places: Uint32Array;
  readonly seed: number;
}

const textsMin = 1_024;
const bytesPerText = 32;

/** Which texts share a place depends on the seed, so that nobody can choose such. */
export function openNumberedTexts(seed: number): NumberedTexts {
  return {
    size: 0,
    bytes: new Uint8Array(textsMin * bytesPerText),
    ends: new Uint32Array(textsMin),
    hashes: new Uint32Array(textsMin),
    places: new Uint32Array(2 * textsMin),
    seed,
  };
}

/** Adds the texts that are new; the number of each. */
export function addTexts(texts: NumberedTexts, { bytes, ends }: PackedTexts): Uint32Array {
  let start = 0;
  return ends.map((end) => {
    const hash = hashOf(texts.seed, bytes, start, end);
    const place = placeOf(texts, hash, bytes, start, end);
    const number = (texts.places[place] ?? 0) - 1;
    const added = number < 0 ? add(texts, place, hash, bytes.subarray(start, end)) : number;
    start = end;
    return added;
  });
}

/** -1 for a text that is not there. */
export function numberOf(texts: NumberedTexts, text: string): number {
  const bytes = Buffer.from(text);
  const hash = hashOf(texts.seed, bytes, 0, bytes.length);
  return (texts.places[placeOf(texts, hash, bytes, 0, bytes.length)] ?? 0) - 1;
}

export function textAt({ bytes, ends }: PackedTexts, number: number): string {
  const [start, end] = [number === 0 ? 0 : ends[number - 1], ends[number]];
  return Buffer.from(bytes.buffer, bytes.byteOffset).toString('utf8', start, end);
}

export function packTexts(texts: readonly string[]): PackedTexts {
  let end = 0;
  const ends = Uint32Array.from(texts, (text) => {
    end += Buffer.byteLength(text);
    return end;
  });
  return { bytes: Buffer.from(texts.join('')), ends };
}

/** Where a text is, or where there is room for it. */
function placeOf(
  { bytes, ends, hashes, places }: NumberedTexts,
  hash: number,
  text: Uint8Array,
  start: number,
  end: number,
): number {
  const mask = places.length - 1;
  for (let place = hash & mask; ; place = (place + 1) & mask) {
    const number = (places[place] ?? 0) - 1;
    if (number < 0) return place;
    if (hashes[number] !== hash) continue;
    const first = number === 0 ? 0 : (ends[number - 1] ?? 0);
    if ((ends[number] ?? 0) - first !== end - start) continue;
    let at = start;
    while (at < end && bytes[first + at - start] === text[at]) at += 1;
    if (at === end) return place;
  }
}

function add(texts: NumberedTexts, place: number, hash: number, text: Uint8Array): number {
  const number = texts.size;
  const start = number === 0 ? 0 : (texts.ends[number - 1] ?? 0);
  const end = start + text.length;
  texts.bytes = withRoom(texts.bytes, end);
  texts.ends = withRoom(texts.ends, number + 1);
  texts.hashes = withRoom(texts.hashes, number + 1);
  texts.bytes.set(text, start);
  texts.ends[number] = end;
  texts.hashes[number] = hash;
  texts.places[place] = number + 1;
  texts.size += 1;
  if (2 * texts.size > texts.places.length) texts.places = twiceThePlaces(texts);
  return number;
}

/** The same numbers, in a larger array where it has no room for so many; zeros behind them. */
export function withRoom<Numbers extends Uint8Array | Uint32Array | Int32Array | Float64Array>(
  numbers: Numbers,
  length: number,
): Numbers {
  if (length <= numbers.length) return numbers;
  const larger = new (numbers.constructor as new (length: number) => Numbers)(
    Math.max(length, 2 * numbers.length),
  );
  larger.set(numbers);
  return larger;
}

function twiceThePlaces({ size, hashes, places }: NumberedTexts): Uint32Array {
  const next = new Uint32Array(2 * places.length);
  const mask = next.length - 1;
  for (let number = 0; number < size; number += 1) {
    let place = (hashes[number] ?? 0) & mask;
    while (next[place] !== 0) place = (place + 1) & mask;
    next[place] = number + 1;
  }
  return next;
}

/** FNV-1a, its bits mixed. */
function hashOf(seed: number, bytes: Uint8Array, start: number, end: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
