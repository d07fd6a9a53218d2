import type { ReceivedMessage } from '@inventory/messaging/bus';

/** Distinguishes a re-sent message from a redelivered one. */
export function createSightings() {
  const seen = new Set<string>();
  return {
    isFirst({ topic, partition, offset }: Pick<ReceivedMessage, 'topic' | 'partition' | 'offset'>) {
      const position = `${topic}/${partition}/${offset}`;
      return !seen.has(position) && seen.add(position).size > 0;
    },
  };
}
