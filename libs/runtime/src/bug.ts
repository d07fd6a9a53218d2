/** A broken invariant of this product: never caused by a client's input, never retried. */
export class Bug extends Error {
  override name = 'Bug';
}

/** Asserts an invariant. Throws {@link Bug} when it does not hold. */
export function invariant(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Bug(message);
}

/** Makes a missing case of a union a type error, and a {@link Bug} at run time. */
export function unreachable(value: never): never {
  throw new Bug(`unexpected value: ${JSON.stringify(value)}`);
}
