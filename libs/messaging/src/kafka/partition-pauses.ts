import type { Consumer } from 'kafkajs';

/** Partitions that are not fetched for a while, or not any more. */
export interface PartitionPauses {
  /** Not fetched until `delayMs` have passed; for ever without them. */
  hold(topic: string, partition: number, delayMs?: number): void;
  /** Fetches nothing any more. */
  holdAll(topics: readonly string[]): void;
}

export function createPartitionPauses(
  consumer: Pick<Consumer, 'pause' | 'resume'>,
): PartitionPauses {
  const timers = new Set<NodeJS.Timeout>();
  return {
    hold(topic, partition, delayMs) {
      const which = [{ topic, partitions: [partition] }];
      consumer.pause(which);
      if (delayMs === undefined) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        try {
          consumer.resume(which);
        } catch {
          // The client is between two lives; in the next one nothing is paused.
        }
      }, delayMs);
      timers.add(timer);
    },
    holdAll(topics) {
      for (const timer of timers) clearTimeout(timer);
      try {
        consumer.pause(topics.map((topic) => ({ topic })));
      } catch {
        // Not running at the moment, and so nothing is fetched.
      }
    },
  };
}
