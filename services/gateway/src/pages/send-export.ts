import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib';
import type { ContentCoding } from '@inventory/contracts/vocabulary';
import type { PageDelivery } from '../http/answer.ts';

export interface ExportToSend {
  readonly headers: Readonly<Record<string, string>>;
  readonly coding: ContentCoding | null;
  readonly body: AsyncIterable<Buffer>;
  /** Called behind the body. */
  readonly trailers: () => Readonly<Record<string, string>>;
  /** Null where nothing is charged. */
  readonly delivery: PageDelivery | null;
  readonly timeMaxMs: number;
  /** What is left of the delivery's deadline. */
  readonly firstByteMs: number;
}

/** Packed bytes that one turn of the event loop takes from a thread of zlib. */
const chunkSize = 64 * 1024;

/** As a page is packed for one response: it must not cost more to pack than to read. */
const packers: Readonly<Record<ContentCoding, () => Transform>> = {
  br: () => createBrotliCompress({ chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: () => createGzip({ chunkSize, level: 1 }),
  zstd: () => createZstdCompress({ chunkSize }),
};

/** Written separately, so that its own completion is observed. */
const firstBytes = 16 * 1024;

/**
 * Sends an export as its client takes it. The charge stands once the operating system has accepted the
 * first bytes, and is reversed otherwise. What cannot be completed ends with the connection, without
 * its end: rejects then.
 */
export async function sendExport(response: ServerResponse, sent: ExportToSend): Promise<void> {
  const { coding, delivery } = sent;
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const source = Readable.from(sent.body, { objectMode: false });
  // Its error is that of the iteration.
  const packed = coding === null ? source : pipeline(source, packers[coding](), () => {});
  const timer = setTimeout(() => response.destroy(), sent.timeMaxMs);
  try {
    response.writeHead(200, sent.headers);
    let isBegun = false;
    for await (const chunk of packed as AsyncIterable<Buffer>) {
      closed.signal.throwIfAborted();
      const rest = isBegun ? chunk : await writeFirst(response, chunk, sent);
      isBegun = true;
      if (rest.length > 0 && !response.write(rest)) await once(response, 'drain', closed);
    }
    response.addTrailers(sent.trailers());
    response.end();
    if (!closed.signal.aborted) await once(response, 'close');
    if (!response.writableFinished) throw new Error('the client left before the end');
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    source.destroy();
    // It has no effect behind the first bytes.
    delivery?.abandoned();
  }
}

/** Resolves to the rest of the chunk once its beginning is accepted; closes the connection in time. */
async function writeFirst(
  response: ServerResponse,
  chunk: Buffer,
  { delivery, firstByteMs }: ExportToSend,
): Promise<Buffer> {
  const deadline = setTimeout(() => {
    delivery?.abandoned();
    response.destroy();
  }, firstByteMs);
  try {
    await new Promise<void>((resolve, reject) => {
      response.write(chunk.subarray(0, firstBytes), (error) => (error ? reject(error) : resolve()));
    });
    delivery?.delivered();
  } finally {
    clearTimeout(deadline);
  }
  return chunk.subarray(firstBytes);
}
