import type { ReceivedMessage } from '@inventory/messaging/bus';
import type { Replica } from './replica.ts';
import type { Chance } from './scheduler.ts';

/**
 * One partition and those who read it. Each reader continues from its own position; only
 * what is committed survives it. More than one may read at a time: the newest is the owner, the
 * others have not noticed yet that they lost it.
 */
export interface Partition {
  readonly log: readonly ReceivedMessage[];
  readonly readers: Reader[];
  committed: number;
}

export interface Reader {
  readonly replica: Replica;
  position: number;
  isBusy: boolean;
  /** After a failure, records come one at a time. */
  hasFailed: boolean;
}

export function assign(partition: Partition, replica: Replica, from = partition.committed): Reader {
  const reader: Reader = { replica, position: from, isBusy: false, hasFailed: false };
  replica.onReassigned();
  partition.readers.push(reader);
  return reader;
}

export interface DeliverOptions {
  readonly chance: Chance;
  readonly batchMax: number;
  /** As a client would that commits what it has read instead of what it has done. */
  readonly commitsFirst: boolean;
  readonly onFailure: (error: unknown) => void;
}

/** Hands the reader its next messages; false when there is nothing or it is not done yet. */
export function deliver(partition: Partition, reader: Reader, options: DeliverOptions): boolean {
  const { chance, batchMax } = options;
  if (reader.isBusy || reader.position >= partition.log.length) return false;
  const size = reader.hasFailed ? 1 : 1 + chance.below(batchMax);
  const batch = partition.log.slice(reader.position, reader.position + size);
  const next = reader.position + batch.length;
  reader.isBusy = true;
  if (options.commitsFirst) commit(partition, reader, next);
  void reader.replica.onBatch(batch).then(
    () => {
      reader.isBusy = false;
      reader.hasFailed = false;
      reader.position = next;
      // A commit in the background may not get through; then the records come again.
      if (chance.percent(70)) commit(partition, reader, next);
    },
    (error: unknown) => {
      reader.isBusy = false;
      reader.hasFailed = true;
      options.onFailure(error);
    },
  );
  return true;
}

/** The broker takes positions only from the owner. */
function commit(partition: Partition, reader: Reader, position: number): void {
  const isOwner = partition.readers.at(-1) === reader && reader.replica.process.isAlive;
  if (isOwner) partition.committed = Math.max(partition.committed, position);
}
