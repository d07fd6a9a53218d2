import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib';
import type { ContentCoding } from '@inventory/contracts/vocabulary';
import type { Clock } from '@inventory/runtime/clock';
import { stepBytes } from '../http/delivery/delivery-slots.ts';
import { firstBytesMax, write, writeFirst } from '../http/delivery/first-bytes.ts';
import type { PageDelivery } from '../http/public-response.ts';
import type { DeliverySlot } from '../http/request-state.ts';

export interface ExportToSend {
  readonly headers: Readonly<Record<string, string>>;
  readonly coding: ContentCoding | null;
  /** What it yields is valid until the next is taken. */
  readonly body: AsyncIterable<Buffer>;
  /** Called after the body. */
  readonly trailers: () => Readonly<Record<string, string>>;
  /** Null where nothing is charged. */
  readonly delivery: PageDelivery | null;
  readonly slot: DeliverySlot;
  readonly timeMaxMs: number;
  readonly clock: Clock;
}

/** Packed bytes that one tick of the event loop takes from a thread of zlib. */
const chunkSize = 64 * 1024;

/** As a page is packed for one response: it must not cost more to pack than to read. */
const packers: Readonly<Record<ContentCoding, () => Transform>> = {
  br: () => createBrotliCompress({ chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: () => createGzip({ chunkSize, level: 1 }),
  zstd: () => createZstdCompress({ chunkSize }),
};

/**
 * Sends an export as its client takes it. Rejects where it cannot be completed: once its head is sent
 * the connection is closed, so that the end is missing; before, nothing is written.
 */
export async function sendExport(response: ServerResponse, sent: ExportToSend): Promise<void> {
  const { delivery } = sent;
  const closed = once(response, 'close');
  const left = closed.then(() => Promise.reject(new Error('the client left before the end')));
  left.catch(() => {});
  const timer = setTimeout(() => cut(response), sent.timeMaxMs);
  try {
    for await (const chunk of packedBody(sent)) {
      const remainder = response.headersSent ? chunk : await begin(response, chunk, sent);
      for (let start = 0; start < remainder.length; start += stepBytes) {
        const step = remainder.subarray(start, start + stepBytes);
        await Promise.race([write(response, step), left]);
        sent.slot.taken(step.length);
      }
    }
    if (!response.headersSent) response.writeHead(200, sent.headers);
    response.addTrailers(sent.trailers());
    response.end();
    await closed;
    if (!response.writableFinished) await left;
  } catch (error) {
    if (response.headersSent) cut(response);
    throw error;
  } finally {
    clearTimeout(timer);
    // It has no effect after the first bytes.
    delivery?.abandoned();
  }
}

/** Over HTTP/1.0 the end of the connection is that of the body: only a reset says that it is cut. */
function cut(response: ServerResponse): void {
  if (response.req.httpVersion === '1.0') response.socket?.resetAndDestroy();
  response.destroy();
}

/** Resolves to what is left of the chunk once its beginning is accepted. */
async function begin(
  response: ServerResponse,
  chunk: Buffer,
  { headers, delivery, slot, clock }: ExportToSend,
): Promise<Buffer> {
  const first = chunk.subarray(0, firstBytesMax);
  const writeHead = () => {
    response.writeHead(200, headers);
    return first;
  };
  if (delivery === null) await write(response, writeHead());
  else await writeFirst(response, { delivery, clock }, writeHead);
  slot.taken(first.length);
  return chunk.subarray(firstBytesMax);
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
