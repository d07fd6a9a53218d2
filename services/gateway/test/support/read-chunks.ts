/** A body in chunks, as far as it has arrived, read as strictly as RFC 9112 (7.1) allows. */
export interface ReadChunks {
  readonly chunks: readonly string[];
  /** Whether its last chunk has arrived, after which nothing may follow. */
  readonly isComplete: boolean;
}

/** Of one-byte characters. Throws where it is none. */
export function readChunks(body: string): ReadChunks {
  const chunks: string[] = [];
  for (let at = 0; at < body.length; ) {
    const [line = '', digits = ''] = /^([0-9a-f]+)\r\n/.exec(body.slice(at, at + 20)) ?? [];
    if (line === '') {
      if (/^[0-9a-f]*\r?$/.test(body.slice(at))) break;
      throw new Error(`no size of a chunk at ${at}: ${JSON.stringify(body.slice(at, at + 20))}`);
    }
    const start = at + line.length;
    const end = start + Number.parseInt(digits, 16);
    if (body.length < end + 2) break;
    if (body.slice(end, end + 2) !== '\r\n') throw new Error(`no end of the chunk at ${at}`);
    if (end === start) {
      if (body.length > end + 2) throw new Error('bytes after the last chunk');
      return { chunks, isComplete: true };
    }
    chunks.push(body.slice(start, end));
    at = end + 2;
  }
  return { chunks, isComplete: false };
}
