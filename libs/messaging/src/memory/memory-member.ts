import { deadLetterTopic, type TopicName } from '@inventory/contracts/topics';
import { jitteredDelayMs } from '@inventory/runtime/backoff';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { Subscription, WorkConsumer } from '../bus.ts';
import { createPartitionWork, type PartitionWork } from '../partition-work.ts';
import type { MemoryLog } from './memory-log.ts';

/** The shared state of a consumer group: its positions and who is in it. */
export interface MemoryGroup {
  readonly offsets: Map<string, number>;
  readonly members: MemoryMember[];
}

export interface MemoryMember extends Subscription {
  wake(): void;
  /** Members came or went: partitions may have moved. */
  reassign(): void;
  readonly problems: () => readonly string[];
}

const retryBackoff = { firstMs: 5, maxMs: 50 } as const;
const defaultBatchMax = 200;

/** One member of a group; partitions are dealt to members in turn. */
export function startMemoryMember(
  log: MemoryLog,
  group: MemoryGroup,
  work: WorkConsumer,
  logger: Logger,
): MemoryMember {
  const stopping = new AbortController();
  const flooded = new Map<string, TopicName>();
  const partitions = new Map<string, PartitionWork>();
  const busy = new Set<string>();
  const drains = new Set<Promise<void>>();
  let running: Promise<void> = Promise.resolve();
  let wake = (): void => {};

  const member: MemoryMember = {
    wake: () => wake(),
    reassign() {
      partitions.clear();
      work.onReassigned?.();
      wake();
    },
    problems: () =>
      [...new Set(flooded.values())].map((topic) => `dead letters flood from ${topic}`),
    async stop() {
      stopping.abort();
      wake();
      // The running records end here before another member begins on this one's partitions.
      await running;
      await Promise.all(drains);
      const index = group.members.indexOf(member);
      if (index >= 0) group.members.splice(index, 1);
      for (const other of group.members) other.reassign();
    },
  };
  const isMine = (partition: number) => group.members[partition % group.members.length] === member;
  const done = (topic: TopicName, partition: number) =>
    group.offsets.get(`${topic}/${partition}`) ?? 0;

  function workOn(topic: TopicName, key: string): PartitionWork {
    const known = partitions.get(key);
    if (known) return known;
    const created = createPartitionWork({
      group: work.group,
      batchMax: work.batchMax ?? defaultBatchMax,
      onBatch: work.onBatch,
      logger,
      sendDeadLetter: async ({ record }) => void log.append(deadLetterTopic(topic), record),
    });
    partitions.set(key, created);
    return created;
  }

  async function handleNext(topic: TopicName, partition: number, key: string): Promise<void> {
    const current = workOn(topic, key);
    const records = log.read(topic, partition, done(topic, partition), current.sliceMax);
    const result = await current.handle(records);
    if (result.result === 'flooded') flooded.set(key, topic);
    else if (result.result === 'retry') {
      await pause(jitteredDelayMs(retryBackoff, result.failures), stopping.signal);
    } else {
      // A partition that was taken over meanwhile may be further already.
      const next = Math.max(done(topic, partition), Number(result.lastOffset) + 1);
      group.offsets.set(key, next);
    }
  }

  /** Ends its turn in the same step in which it finds nothing, so that no wake falls between. */
  async function drain(topic: TopicName, partition: number): Promise<void> {
    const key = `${topic}/${partition}`;
    if (busy.has(key)) return;
    busy.add(key);
    const mayGoOn = () => !stopping.signal.aborted && isMine(partition) && !flooded.has(key);
    try {
      while (mayGoOn() && done(topic, partition) < log.end(topic, partition)) {
        await handleNext(topic, partition, key);
      }
    } finally {
      busy.delete(key);
    }
  }

  /** Each partition goes on by itself: one that waits for its next try does not hold the others. */
  function drainAll(): void {
    for (const topic of work.topics) {
      for (let partition = 0; partition < log.partitions; partition += 1) {
        const draining = drain(topic, partition).finally(() => drains.delete(draining));
        drains.add(draining);
      }
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      drainAll();
      await woken;
    }
  }

  group.members.push(member);
  for (const each of group.members) each.reassign();
  running = run();
  return member;
}
