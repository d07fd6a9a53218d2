import type { Logger } from '@inventory/runtime/logger';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { withDeadline } from '@inventory/runtime/wait';
import type { Consumer } from 'kafkajs';

const commitIntervalMs = 500;

/** Commits finished positions in the background: a commit is one round trip, not one per batch. */
export interface OffsetCommits {
  /** Everything up to and including this offset has a durable effect. */
  finished(topic: string, partition: number, offset: string): void;
  /** Commits now what is finished; waits for it no longer than the deadline. Never rejects. */
  flush(deadlineMs: number): Promise<void>;
  /** Forgets positions of partitions that may now belong to another replica. */
  forget(): void;
  /** Commits for the last time. */
  close(deadlineMs: number): Promise<void>;
}

interface Finished {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
}

/** A position that is not committed in time is only read again; handlers see known ids. */
export function createOffsetCommits(
  consumer: Pick<Consumer, 'commitOffsets'>,
  logger: Logger,
): OffsetCommits {
  let pending = new Map<string, Finished>();
  let committing = Promise.resolve();

  async function commit(): Promise<void> {
    if (pending.size === 0) return;
    const taken = pending;
    pending = new Map();
    const followed = pending;
    try {
      await consumer.commitOffsets([...taken.values()]);
    } catch (error) {
      logger.debug({ err: error }, 'offsets were not committed yet');
      // Unless the partitions were given away meanwhile, the next commit says it again.
      if (pending !== followed) return;
      for (const [key, offset] of taken) if (!pending.has(key)) pending.set(key, offset);
    }
  }

  function commitAfterOthers(): Promise<void> {
    committing = committing.then(commit);
    return committing;
  }

  async function flush(deadlineMs: number): Promise<void> {
    try {
      await withDeadline(commitAfterOthers(), deadlineMs, 'committing offsets');
    } catch (error) {
      logger.debug({ err: error }, 'offset commit failed, records may be redelivered');
    }
  }

  const job = startPeriodicJob({
    name: 'offset commits',
    intervalMs: commitIntervalMs,
    firstDelayMs: commitIntervalMs,
    logger,
    runOnce: () => commitAfterOthers(),
  });

  return {
    finished(topic, partition, offset) {
      const next = (BigInt(offset) + 1n).toString();
      pending.set(`${topic}/${partition}`, { topic, partition, offset: next });
    },
    flush,
    forget() {
      pending = new Map();
    },
    close(deadlineMs) {
      // A commit that hangs keeps the job from ending; it holds nobody up.
      void job.stop();
      return flush(deadlineMs);
    },
  };
}
