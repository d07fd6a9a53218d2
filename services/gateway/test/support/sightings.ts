import type { ReceivedMessage } from '@inventory/messaging/bus';

/** Tells a message that was sent again from one that only came again: Kafka gives some twice. */
export function createSightings() {
  const seen = new Set<string>();
  return {
    isFirst({ topic, partition, offset }: Pick<ReceivedMessage, 'topic' | 'partition' | 'offset'>) {
      const place = `${topic}/${partition}/${offset}`;
      return !seen.has(place) && seen.add(place).size > 0;
    },
  };
}
