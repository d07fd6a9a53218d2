/**
 * The claim of an attempt on its Idempotency-Key, as stored under the unique index: the key itself
 * at turn 0, the key and the turn after that many refusals. A claim is immutable: a refusal changes
 * the phase of its attempt only, and the next attempt claims the next turn.
 */
export interface KeyClaim {
  readonly key: string;
  readonly turn: number;
}

/** Keys are printable ASCII, so no key contains a mark or continues where one would be. */
const mark = '\n';
const afterMark = '\v';
const turnDigits = 9;

export function toStoredClaim({ key, turn }: KeyClaim): string {
  // Padded: claims on a key sort by their turns.
  return turn === 0 ? key : `${key}${mark}${String(turn).padStart(turnDigits, '0')}`;
}

export function fromStoredClaim(stored: string): KeyClaim {
  const [key = '', turn = '0'] = stored.split(mark);
  return { key, turn: Number(turn) };
}

/** All claims on this key, and on no other. */
export function claimsOn(key: string) {
  return { $gte: key, $lt: `${key}${afterMark}` };
}
