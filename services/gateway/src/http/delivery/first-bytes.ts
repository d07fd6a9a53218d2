import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { Refused } from '@inventory/http/refused';
import type { Clock } from '@inventory/runtime/clock';
import type { PageDelivery } from '../public-response.ts';

/** Written separately, so that its own completion is observed. */
export const firstBytesMax = 16 * 1024;

/**
 * Writes the first bytes of what is charged. The charge stands once the operating system has accepted
 * them. Otherwise it is reversed: when the connection closes first, and when the deadline passes
 * first, which closes the connection, so that no byte of a reversed response is sent later. Rejects
 * then.
 *
 * From the deadline on it throws and writes nothing. `begin` writes the head of the response; nothing
 * is awaited between reading the clock and the write.
 */
export function writeFirst(
  response: ServerResponse,
  { delivery, clock }: { readonly delivery: PageDelivery; readonly clock: Clock },
  begin: () => Buffer,
): Promise<void> {
  const leftMs = delivery.deadlineMs - clock.now();
  if (leftMs > 0) return writeWithin(response, delivery, leftMs, begin());
  delivery.abandoned();
  throw new Refused({ code: 'billing_unavailable', retry_after_seconds: 1 });
}

async function writeWithin(
  response: ServerResponse,
  delivery: PageDelivery,
  leftMs: number,
  bytes: Buffer,
): Promise<void> {
  const { socket } = response.req;
  const deadline = setTimeout(() => {
    delivery.abandoned();
    socket.destroy();
  }, leftMs);
  try {
    if (response.destroyed || socket.destroyed) throw new Error('the client has left');
    await write(response, bytes);
    delivery.delivered();
  } catch (error) {
    delivery.abandoned();
    throw error;
  } finally {
    clearTimeout(deadline);
  }
}

/** Resolves once the chunk is taken: by a packer, or by the operating system. */
export async function write(into: Writable, chunk: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    into.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
