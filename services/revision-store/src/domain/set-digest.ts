import { sha256Text } from './sha256.ts';

/** Lines that are made when they are needed; an array is such. */
export interface Lines {
  readonly length: number;
  at(index: number): string | undefined;
}

const linesPerPart = 1_000;
const linesPerTick = 5_000;

/**
 * The digest of a set of lines, independent of their order. Lines are dealt into parts, whose number
 * depends on the size of the set, and sorted there; one part of them is in memory at a time. The
 * generator pauses after each stretch of work, so that 250,000 lines do not block the event loop.
 */
export function* setDigest(lines: Lines): Generator<void, string> {
  const partCount = Math.max(1, Math.ceil(lines.length / linesPerPart));
  const parts = Array.from({ length: partCount }, (): number[] => []);
  for (let index = 0; index < lines.length; index += 1) {
    parts[hashOf(lines.at(index) ?? '') % partCount]?.push(index);
    if (index % linesPerTick === linesPerTick - 1) yield;
  }
  const digests: string[] = [];
  for (const part of parts) {
    const texts = part.map((index) => lines.at(index) ?? '');
    digests.push(sha256Text(texts.sort().join('\n')));
    yield;
  }
  return sha256Text(digests.join('\n'));
}

/** Which part a line belongs to follows from the line alone; how evenly, decides speed only. */
function hashOf(line: string): number {
  let hash = 2_166_136_261;
  for (let index = 0; index < line.length; index += 1) {
    hash = Math.imul(hash ^ line.charCodeAt(index), 16_777_619);
  }
  return hash >>> 0;
}
