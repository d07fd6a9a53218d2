/** A collision-resistant digest of a text. */
export type DigestOf = (text: string) => string;

const linesPerPart = 1_000;
const linesPerTurn = 5_000;

/**
 * The digest of a set of lines, independent of their order. Lines are dealt into parts, whose number
 * depends on the size of the set, and sorted there; the generator pauses after each stretch of work, so
 * that 250,000 lines do not block the event loop.
 */
export function* setDigest(
  lines: Iterable<string>,
  size: number,
  digestOf: DigestOf,
): Generator<void, string> {
  const partCount = Math.max(1, Math.ceil(size / linesPerPart));
  const parts = Array.from({ length: partCount }, (): string[] => []);
  let dealt = 0;
  for (const line of lines) {
    parts[hashOf(line) % partCount]?.push(line);
    dealt += 1;
    if (dealt % linesPerTurn === 0) yield;
  }
  const digests: string[] = [];
  for (const part of parts) {
    digests.push(digestOf(part.sort().join('\n')));
    yield;
  }
  return digestOf(digests.join('\n'));
}

/** Which part a line belongs to follows from the line alone; how evenly, decides speed only. */
function hashOf(line: string): number {
  let hash = 2_166_136_261;
  for (let index = 0; index < line.length; index += 1) {
    hash = Math.imul(hash ^ line.charCodeAt(index), 16_777_619);
  }
  return hash >>> 0;
}
