import type { TopicName } from '@inventory/contracts/topics';
import { type Clock, elapsedSince, systemClock } from '@inventory/runtime/clock';
import type { WorkConsumer } from '../bus.ts';
import {
  consumedMessages,
  consumerDelay,
  consumerLag,
  consumerStopped,
  processDuration,
} from '../messaging-metrics.ts';
import type { SliceResult } from '../partition-work.ts';
import type { PartitionProgress } from './partition-queue.ts';

export interface HandledSlice {
  readonly topic: TopicName;
  readonly partition: number;
  readonly records: number;
  /** On the monotonic clock. */
  readonly startMs: number;
  readonly result: SliceResult['result'];
}

/** Metrics of one consumer: results of its handlers, and its lag. */
export type MeasuredConsumer = ReturnType<typeof measureConsumer>;

/** A blocked partition is not fetched: its last progress is kept, and its delay grows. */
export function measureConsumer({ group, topics }: WorkConsumer, clock: Clock = systemClock) {
  const partitions = new Map<string, PartitionProgress & { readonly topic: TopicName }>();
  const stopped = new Map<string, TopicName>();
  const labelled = new Map(topics.map((topic) => [topic, labelsOf(topic, group)]));

  function report(measure: (topic: TopicName) => number) {
    return (observe: (value: number, labels: ReturnType<typeof labelsOf>['done']) => void) => {
      for (const [topic, { done }] of labelled) observe(measure(topic), done);
    };
  }
  const of = (topic: TopicName) =>
    [...partitions.values()].filter((partition) => partition.topic === topic);
  const delayMs = ({ oldestAtMs }: PartitionProgress) =>
    oldestAtMs === null ? 0 : Math.max(0, clock.now() - oldestAtMs);
  const ends = [
    consumerLag.observe(report((topic) => of(topic).reduce((sum, { lag }) => sum + lag, 0))),
    consumerDelay.observe(report((topic) => Math.max(0, ...of(topic).map(delayMs)) / 1_000)),
    consumerStopped.observe(
      report((topic) => [...stopped.values()].filter((name) => name === topic).length),
    ),
  ];

  return {
    progressed(topic: TopicName, partition: number, progress: PartitionProgress): void {
      partitions.set(`${topic}/${partition}`, { topic, ...progress });
    },
    handled({ topic, partition, records, startMs, result }: HandledSlice): void {
      const labels = labelled.get(topic);
      if (!labels) return;
      processDuration.record(elapsedSince(startMs) / 1_000, labels[result]);
      if (result === 'done') consumedMessages.add(records, labels.done);
      if (result === 'flooded') stopped.set(`${topic}/${partition}`, topic);
    },
    /** Forgets progress: partitions may belong to another replica. */
    forget: (): void => partitions.clear(),
    end(): void {
      for (const end of ends) end();
    },
  };
}

/** Created once per topic: every slice is measured. */
function labelsOf(topic: TopicName, group: string) {
  const done = {
    'messaging.destination.name': topic,
    'messaging.consumer.group.name': group,
  } as const;
  return {
    done,
    retry: { ...done, 'error.type': 'retry' },
    flooded: { ...done, 'error.type': 'flooded' },
  } as const;
}
