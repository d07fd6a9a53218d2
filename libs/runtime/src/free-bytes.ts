import { isMarkedAsUntransferable } from 'node:worker_threads';

/** A buffer that is filled from a stream of unknown end has capacity for one byte more. */
const leftOverMax = 1;

/**
 * Returns the memory of bytes that are read no more. Else it is returned with a later collection of
 * garbage: a scan of 250,000 assets leaves a gigabyte of them, a megabyte each, and V8 lets 64 MB of them
 * come together. The bytes, and all views of them, are empty from then on; so no call may be working on
 * them. Bytes that share their memory with others stay as they are.
 */
export function freeBytes({ buffer, byteOffset, byteLength }: NodeJS.ArrayBufferView): void {
  const isAll = byteOffset === 0 && buffer.byteLength - byteLength <= leftOverMax && byteLength > 0;
  // Node marks the pools of small ones.
  const isOwn = buffer instanceof ArrayBuffer && !isMarkedAsUntransferable(buffer);
  if (isAll && isOwn) buffer.transfer(0);
}
