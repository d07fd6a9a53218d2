import type { Logger } from '@inventory/runtime/logger';
import type { Consumer } from 'kafkajs';

const commitIntervalMs = 500;

/** Commits finished positions in the background: a commit is one round trip, not one per batch. */
export interface OffsetCommits {
  /** Everything up to and including this offset has a durable effect. */
  finished(topic: string, partition: number, offset: string): void;
  /** Forgets positions of partitions that may now belong to another replica. */
  forget(): void;
  close(): Promise<void>;
}

/** A position that is not committed in time is only read again; handlers see known ids. */
export function createOffsetCommits(consumer: Consumer, logger: Logger): OffsetCommits {
  const pending = new Map<string, { topic: string; partition: number; offset: string }>();
  let committing = Promise.resolve();

  async function commit(): Promise<void> {
    if (pending.size === 0) return;
    const offsets = [...pending.values()];
    pending.clear();
    try {
      await consumer.commitOffsets(offsets);
    } catch (error) {
      logger.debug({ err: error }, 'offsets were not committed and will be read again');
    }
  }

  const timer = setInterval(() => {
    committing = committing.then(commit);
  }, commitIntervalMs);

  return {
    finished(topic, partition, offset) {
      const next = (BigInt(offset) + 1n).toString();
      pending.set(`${topic}/${partition}`, { topic, partition, offset: next });
    },
    forget: () => pending.clear(),
    async close() {
      clearInterval(timer);
      await committing;
      await commit();
    },
  };
}
