import type { Logger } from '@inventory/runtime/logger';
import type { ReceivedMessage, RejectedMessage, WorkConsumer } from './bus.ts';
import { createDeadLetterGuard, toDeadLetter } from './dead-letter.ts';
import { afterFailure } from './retry-policy.ts';
import { decode, type Position, type WireRecord } from './wire-record.ts';

export interface PositionedRecord {
  readonly record: WireRecord;
  readonly position: Position;
  readonly writtenAtMs: number;
}

export interface PartitionWorkOptions {
  readonly group: string;
  readonly batchMax: number;
  readonly onBatch: WorkConsumer['onBatch'];
  readonly sendDeadLetter: (letter: { position: Position; record: WireRecord }) => Promise<void>;
  readonly logger: Logger;
}

type Postponed = ReadonlySet<string>;

export type SliceResult =
  | {
      readonly result: 'done';
      readonly lastOffset: string;
      /** Offsets of the records that are to be handled again later. */
      readonly postponed: Postponed;
    }
  /** The slice is retried from `fromOffset`, with a backoff by `failures`. */
  | { readonly result: 'retry'; readonly fromOffset: string; readonly failures: number }
  | { readonly result: 'flooded' };

/**
 * Handles the records of one partition, for any adapter. It never throws. One slice:
 *
 * 1. decode; records that break their contract go to the dead letters. A crash after this step
 *    repeats the dead letter, which carries its origin and so can be deduplicated;
 * 2. call `onBatch`, which makes the effects durable and publishes their outcomes. A crash before
 *    it resolves repeats the slice: handlers are idempotent and re-emit the recorded outcomes;
 * 3. report `done`: only then may the position be committed, up to the first postponed record.
 *
 * After a failure the records of that slice are handled one at a time, so that a record that cannot
 * be handled is isolated from its neighbours.
 */
export interface PartitionWork {
  /** Records in the order of their offsets; after `retry`, the same ones or fewer of them. */
  handle(records: readonly PositionedRecord[]): Promise<SliceResult>;
  /** Most records of the next slice. */
  readonly sliceMax: number;
}

export function createPartitionWork(options: PartitionWorkOptions): PartitionWork {
  const undecodable = createDeadLetterGuard();
  const unhandled = createDeadLetterGuard();
  let failures = 0;
  /** Up to this offset every record may have caused the last failure. */
  let suspectUntil = -1n;
  /** Unfinished records, by offset, whose dead letter for this reason, if any, is sent. */
  const lettered = new Map<string, 'undecodable' | 'rejected'>();

  async function deadLetter(of: PositionedRecord, reason: string, detail: string) {
    const { position } = of;
    options.logger.error({ ...position, reason, detail }, 'record sent to the dead letters');
    const record = toDeadLetter(of.record, position, { reason, detail, group: options.group });
    await options.sendDeadLetter({ position, record });
  }

  /** The offsets of what is postponed. */
  async function handleSlice(records: readonly PositionedRecord[]): Promise<Postponed | 'flooded'> {
    const messages: ReceivedMessage[] = [];
    for (const item of records) {
      const decoded = decode(item.record, { ...item.position, writtenAtMs: item.writtenAtMs });
      if (decoded.result === 'message') messages.push(decoded.message);
      const { offset } = item.position;
      // A retried slice neither sends nor counts a dead letter twice.
      if (lettered.has(offset)) continue;
      if (undecodable(decoded.result === 'undecodable')) return 'flooded';
      if (decoded.result === 'undecodable') await deadLetter(item, decoded.reason, decoded.detail);
      lettered.set(offset, 'undecodable');
    }
    return messages.length > 0 ? handleMessages(records, messages) : nothing;
  }

  async function handleMessages(
    records: readonly PositionedRecord[],
    messages: readonly ReceivedMessage[],
  ): Promise<Postponed> {
    const { rejected, postponed } = await callHandler(options.onBatch, messages);
    for (const item of records) {
      const why = rejected.get(item.position.offset);
      const { offset } = item.position;
      if (!why || lettered.get(offset) === 'rejected') continue;
      await deadLetter(item, why.reason, why.detail);
      lettered.set(offset, 'rejected');
    }
    for (const { offset } of messages) if (!rejected.has(offset)) unhandled(false);
    return postponed;
  }

  async function handleFailure(error: unknown, slice: Slice): Promise<SliceResult> {
    const { first, length } = slice;
    // The records of a slice are retried one by one before one of them becomes a dead letter.
    const tries = length === 1 ? failures : 1;
    options.logger.warn({ err: error, ...first.position, failures }, 'handling failed');
    if (afterFailure(error, tries) === 'dead_letter') {
      if (unhandled(true)) return { result: 'flooded' };
      const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      await deadLetter(first, 'handler_failed', detail);
      failures = 0;
      return { result: 'done', lastOffset: first.position.offset, postponed: nothing };
    }
    return { result: 'retry', fromOffset: first.position.offset, failures };
  }

  async function tryHandle(
    records: readonly PositionedRecord[],
    slice: Slice,
  ): Promise<SliceResult> {
    try {
      const postponed = await handleSlice(records);
      if (postponed === 'flooded') return { result: 'flooded' };
      failures = 0;
      return { result: 'done', lastOffset: slice.last.position.offset, postponed };
    } catch (error) {
      failures += 1;
      if (offsetOf(slice.last) > suspectUntil) suspectUntil = offsetOf(slice.last);
      try {
        return await handleFailure(error, slice);
      } catch (letterError) {
        options.logger.error({ err: letterError }, 'dead letter could not be sent');
        return { result: 'retry', fromOffset: slice.first.position.offset, failures };
      }
    }
  }

  return {
    get sliceMax() {
      return suspectUntil >= 0n ? 1 : options.batchMax;
    },
    async handle(records) {
      const slice = sliceOf(records);
      const result = await tryHandle(records, slice);
      if (result.result !== 'done') return result;
      if (offsetOf(slice.last) >= suspectUntil) suspectUntil = -1n;
      for (const { position } of records) lettered.delete(position.offset);
      return result;
    },
  };
}

const nothing: Postponed = new Set();

/** By offset, what the handler did not do. */
async function callHandler(onBatch: WorkConsumer['onBatch'], messages: readonly ReceivedMessage[]) {
  const rejected = new Map<string, RejectedMessage>();
  const postponed = new Set<string>();
  await onBatch(
    messages,
    (one) => rejected.set(one.message.offset, one),
    ({ offset }) => postponed.add(offset),
  );
  return { rejected, postponed };
}

interface Slice {
  readonly first: PositionedRecord;
  readonly last: PositionedRecord;
  readonly length: number;
}

function sliceOf(records: readonly PositionedRecord[]): Slice {
  const first = records[0];
  const last = records.at(-1);
  if (!first || !last) throw new RangeError('an empty slice has no position');
  return { first, last, length: records.length };
}

function offsetOf(item: PositionedRecord): bigint {
  return BigInt(item.position.offset);
}
