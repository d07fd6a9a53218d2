/**
 * The claim of an attempt on its Idempotency-Key, as stored under the unique index: the key itself
 * at generation 0, the key and its generation after that many refusals. A claim is immutable: a
 * refusal changes the phase of its attempt only, and the next attempt claims the next generation.
 */
export interface KeyClaim {
  readonly key: string;
  readonly generation: number;
}

/** Keys are printable ASCII, so none contains the separator or a character that sorts before it. */
const separator = '\n';
const afterSeparator = '\v';
const generationDigits = 9;

export function toStoredClaim({ key, generation }: KeyClaim): string {
  if (generation === 0) return key;
  // Padded: claims on a key sort by their generations.
  return `${key}${separator}${String(generation).padStart(generationDigits, '0')}`;
}

export function fromStoredClaim(stored: string): KeyClaim {
  const [key = '', generation = '0'] = stored.split(separator);
  return { key, generation: Number(generation) };
}

/** All claims on this key, and on no other. */
export function claimsOn(key: string) {
  return { $gte: key, $lt: `${key}${afterSeparator}` };
}
