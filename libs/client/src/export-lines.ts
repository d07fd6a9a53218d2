import { UnexpectedAnswerError } from './errors.ts';

const lineFeed = 0x0a;
/** Above every line: an asset and a description, 12 MiB each at most. */
const lineBytesMax = 64 * 1024 * 1024;

/** Whole lines with their ends; bytes behind the last one are none. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      const rest = chunk.subarray(start, end + 1);
      yield begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
      [begun, begunBytes, start] = [[], 0, end + 1];
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
    begunBytes += chunk.length - start;
    if (begunBytes > lineBytesMax) throw new UnexpectedAnswerError('A line is too large.');
  }
}
