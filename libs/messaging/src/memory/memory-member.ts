import { deadLetterTopic, type TopicName } from '@inventory/contracts/topics';
import { jitteredDelayMs } from '@inventory/runtime/backoff';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { Subscription, WorkConsumer } from '../bus.ts';
import { createDeadLetterGuard } from '../dead-letter.ts';
import { createPartitionWork } from '../partition-work.ts';
import type { MemoryLog } from './memory-log.ts';

/** The shared state of a consumer group: its positions and who is in it. */
export interface MemoryGroup {
  readonly offsets: Map<string, number>;
  readonly members: { wake(): void }[];
}

const retryBackoff = { firstMs: 5, maxMs: 50 } as const;

/** One member of a group; partitions are dealt to members in turn. */
export function startMemoryMember(
  log: MemoryLog,
  group: MemoryGroup,
  work: WorkConsumer,
  logger: Logger,
): Subscription {
  const stopping = new AbortController();
  const flooded = new Set<string>();
  let wake = (): void => {};
  const member = { wake: () => wake() };
  group.members.push(member);
  for (const other of group.members) other.wake();
  const isMine = (partition: number) => group.members[partition % group.members.length] === member;
  const done = (topic: TopicName, partition: number) =>
    group.offsets.get(`${topic}/${partition}`) ?? 0;

  function partitionWork(topic: TopicName) {
    return createPartitionWork({
      group: work.group,
      batchMax: work.batchMax ?? 200,
      onBatch: work.onBatch,
      guard: createDeadLetterGuard(),
      logger,
      sendDeadLetter: async ({ record }) => void log.append(deadLetterTopic(topic), record),
    });
  }

  async function drain(topic: TopicName, partition: number): Promise<void> {
    const key = `${topic}/${partition}`;
    const running = partitionWork(topic);
    while (!stopping.signal.aborted && isMine(partition) && !flooded.has(key)) {
      const records = log.read(topic, partition, done(topic, partition), running.sliceMax);
      if (records.length === 0) return;
      const result = await running.handle(records);
      if (result.result === 'flooded') flooded.add(key);
      else if (result.result === 'done') group.offsets.set(key, Number(result.lastOffset) + 1);
      else await pause(jitteredDelayMs(retryBackoff, result.failures), stopping.signal);
    }
  }

  function isBehind(): boolean {
    return work.topics.some((topic) =>
      partitionsOf(log).some(
        (partition) =>
          isMine(partition) &&
          !flooded.has(`${topic}/${partition}`) &&
          done(topic, partition) < log.end(topic, partition),
      ),
    );
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const pairs = work.topics.flatMap((topic) =>
        partitionsOf(log).map((partition) => ({ topic, partition })),
      );
      await Promise.all(pairs.map(({ topic, partition }) => drain(topic, partition)));
      if (!isBehind()) await woken;
    }
  }

  work.onReassigned?.();
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      group.members.splice(group.members.indexOf(member), 1);
      wake();
      for (const other of group.members) other.wake();
      await running;
    },
  };
}

function partitionsOf(log: MemoryLog): number[] {
  return Array.from({ length: log.partitions }, (_, partition) => partition);
}
