const uuid = /(?<=^(?:[a-z]+_)?)[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** A UUID is the same in any case (RFC 9562, 4); the prefix of an id is not. */
export function withLowerUuid(value: string): string {
  return value.replace(uuid, (found) => found.toLowerCase());
}
