/*
 * HTTP's chunked coding (RFC 9112, 7.1) of a stream. A frame is a chunk of its own where it is shared
 * by connections, so that any number of them in a row is one write without a copy.
 */

/** Ends a body of chunks. */
export const lastChunk = '0\r\n\r\n';

const lineEnd = '\r\n';

/** A chunk with this text, which is not empty. */
export function chunkOf(text: string): Buffer {
  return Buffer.from(Buffer.byteLength(text).toString(16) + lineEnd + text + lineEnd);
}

/** What whole chunks carry, for a client of HTTP/1.0. */
export function contentOf(chunks: Buffer): Buffer {
  const contents: Buffer[] = [];
  for (let at = 0; at < chunks.length; ) {
    const start = chunks.indexOf(lineEnd, at) + lineEnd.length;
    const end = start + Number.parseInt(chunks.toString('latin1', at, start), 16);
    contents.push(chunks.subarray(start, end));
    at = end + lineEnd.length;
  }
  return Buffer.concat(contents);
}
