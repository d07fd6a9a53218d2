import type { Consumer } from 'kafkajs';

/** Pauses fetching by partition. */
export interface PartitionBackpressure {
  /** Pauses a partition for good. */
  pause(topic: string, partition: number): void;
  /** Pauses a partition until `capacity` resolves. */
  pauseUntil(topic: string, partition: number, capacity: Promise<void>): void;
  /** Pauses all partitions for good. */
  pauseAll(topics: readonly string[]): void;
}

export function createPartitionBackpressure(
  consumer: Pick<Consumer, 'pause' | 'resume'>,
): PartitionBackpressure {
  let allPaused = false;

  function pause(topic: string, partition: number): void {
    unlessRestarting(() => consumer.pause([{ topic, partitions: [partition] }]));
  }

  return {
    pause,
    pauseUntil(topic, partition, capacity) {
      pause(topic, partition);
      void capacity.then(() => {
        if (allPaused) return;
        unlessRestarting(() => consumer.resume([{ topic, partitions: [partition] }]));
      });
    },
    pauseAll(topics) {
      allPaused = true;
      unlessRestarting(() => consumer.pause(topics.map((topic) => ({ topic }))));
    },
  };
}

/** While the client restarts itself it fetches nothing, and it forgets its pauses. */
function unlessRestarting(change: () => void): void {
  try {
    change();
  } catch {
    // The client throws while it has not joined.
  }
}
