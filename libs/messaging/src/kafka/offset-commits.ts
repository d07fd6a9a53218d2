import type { Logger } from '@inventory/runtime/logger';
import { startPeriodicJob } from '@inventory/runtime/periodic-job';
import { pause, withDeadline } from '@inventory/runtime/wait';
import type { GroupMember, GroupPosition } from './wire-client.ts';

const commitIntervalMs = 500;
/** A finished position ends the pause. */
const nothingFinishedMs = 60_000;

/** Commits finished positions in the background, one round trip for many batches. */
export type OffsetCommits = ReturnType<typeof createOffsetCommits>;

/** Records after the last commit are redelivered; handlers are idempotent. */
export function createOffsetCommits(member: GroupMember, logger: Logger) {
  let pending = new Map<string, GroupPosition>();
  let committing = Promise.resolve();

  async function commit(): Promise<void> {
    if (pending.size === 0) return;
    const taken = pending;
    pending = new Map();
    const followed = pending;
    try {
      await member.commit([...taken.values()]);
    } catch (error) {
      logger.debug({ err: error }, 'offset commit failed');
      // Unless partitions were reassigned meanwhile, the next commit includes them again.
      if (pending !== followed) return;
      for (const [key, offset] of taken) if (!pending.has(key)) pending.set(key, offset);
      job.wake();
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
    intervalMs: nothingFinishedMs,
    firstDelayMs: nothingFinishedMs,
    logger,
    async runOnce(stopping) {
      await pause(commitIntervalMs, stopping);
      await commitAfterOthers();
    },
  });

  return {
    /** Everything up to and including this offset has a durable effect. */
    finished(topic: string, partition: number, offset: string): void {
      const next = (BigInt(offset) + 1n).toString();
      if (pending.size === 0) job.wake();
      pending.set(`${topic}/${partition}`, { topic, partition, offset: next });
    },
    /** Commits finished positions now; waits at most for the deadline. Never rejects. */
    flush,
    /** Forgets positions of partitions that may now belong to another replica. */
    forget(): void {
      pending = new Map();
    },
    /** Commits for the last time. */
    close(deadlineMs: number): Promise<void> {
      // A hanging commit delays the end of the job, not the close.
      void job.stop();
      return flush(deadlineMs);
    },
  };
}
