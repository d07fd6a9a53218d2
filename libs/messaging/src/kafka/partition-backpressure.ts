import type { Consumer } from 'kafkajs';

/** Partitions that are not fetched for a while, or not any more. */
export interface PartitionBackpressure {
  /** Not fetched any more. */
  hold(topic: string, partition: number): void;
  /** Not fetched until `over` resolves. */
  holdUntil(topic: string, partition: number, over: Promise<void>): void;
  /** Fetches nothing any more. */
  holdAll(topics: readonly string[]): void;
}

export function createPartitionBackpressure(
  consumer: Pick<Consumer, 'pause' | 'resume'>,
): PartitionBackpressure {
  let allHeld = false;

  function hold(topic: string, partition: number): void {
    unlessBetweenLives(() => consumer.pause([{ topic, partitions: [partition] }]));
  }

  return {
    hold,
    holdUntil(topic, partition, over) {
      hold(topic, partition);
      void over.then(() => {
        if (allHeld) return;
        unlessBetweenLives(() => consumer.resume([{ topic, partitions: [partition] }]));
      });
    },
    holdAll(topics) {
      allHeld = true;
      unlessBetweenLives(() => consumer.pause(topics.map((topic) => ({ topic }))));
    },
  };
}

/** While the client restarts itself nothing is fetched, and in its next life nothing is paused. */
function unlessBetweenLives(change: () => void): void {
  try {
    change();
  } catch {
    // The client refuses what it cannot do before it has joined.
  }
}
