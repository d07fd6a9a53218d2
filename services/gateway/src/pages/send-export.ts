import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Transform, Writable } from 'node:stream';
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib';
import type { ContentCoding } from '@inventory/contracts/vocabulary';
import { probeHalfClosed } from '@inventory/http/half-closed';
import type { PageDelivery } from '../http/answer.ts';

export interface ExportToSend {
  readonly headers: Readonly<Record<string, string>>;
  readonly coding: ContentCoding | null;
  /** What it yields is valid until the next is taken. */
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
  const { delivery } = sent;
  const closed = once(response, 'close');
  const left = closed.then(() => Promise.reject(new Error('the client left before the end')));
  left.catch(() => {});
  const timer = setTimeout(() => cut(response), sent.timeMaxMs);
  try {
    if (delivery) await probeHalfClosed(response);
    response.writeHead(200, sent.headers);
    let isBegun = false;
    for await (const chunk of packedBody(sent)) {
      const rest = isBegun ? chunk : await writeFirst(response, chunk, sent);
      isBegun = true;
      if (rest.length > 0) await Promise.race([write(response, rest), left]);
    }
    response.addTrailers(sent.trailers());
    response.end();
    await closed;
    if (!response.writableFinished) await left;
  } catch (error) {
    cut(response);
    throw error;
  } finally {
    clearTimeout(timer);
    // It has no effect behind the first bytes.
    delivery?.abandoned();
  }
}

/** Over HTTP/1.0 the end of the connection is that of the body: only a reset says that it is cut. */
function cut(response: ServerResponse): void {
  if (response.req.httpVersion === '1.0') response.socket?.resetAndDestroy();
  response.destroy();
}

async function* packedBody({ body, coding }: ExportToSend): AsyncGenerator<Buffer, void, void> {
  if (coding === null) return yield* body;
  const packer = packers[coding]();
  void fill(packer, body).catch((error: Error) => packer.destroy(error));
  yield* packer as AsyncIterable<Buffer>;
}

/** Rejects where the packer is destroyed before the end. */
async function fill(packer: Transform, body: ExportToSend['body']): Promise<void> {
  for await (const chunk of body) await write(packer, chunk);
  packer.end();
}

/** Resolves once the chunk is taken: by a packer, or by the operating system. */
async function write(into: Writable, chunk: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    into.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

/** Resolves to the rest of the chunk once its beginning is accepted; closes the connection in time. */
async function writeFirst(
  response: ServerResponse,
  chunk: Buffer,
  { delivery, firstByteMs }: ExportToSend,
): Promise<Buffer> {
  const deadline = setTimeout(() => {
    delivery?.abandoned();
    cut(response);
  }, firstByteMs);
  try {
    await write(response, chunk.subarray(0, firstBytes));
    delivery?.delivered();
  } finally {
    clearTimeout(deadline);
  }
  return chunk.subarray(firstBytes);
}
