import { deadLetterTopic, type TopicName } from '@inventory/contracts/topics';
import { jitteredDelayMs } from '@inventory/runtime/backoff';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { Subscription, WorkConsumer } from '../bus.ts';
import { createPartitionWork, type PartitionWork, type SliceResult } from '../partition-work.ts';
import type { MemoryLog } from './memory-log.ts';

/** The shared state of a consumer group: positions and members. */
export interface MemoryGroup {
  readonly offsets: Map<string, number>;
  readonly members: MemoryMember[];
}

export interface MemoryMember extends Subscription {
  wake(): void;
  /** Members joined or left: partitions may have moved. */
  reassign(): void;
  readonly problems: () => readonly string[];
}

const retryBackoff = { firstMs: 5, maxMs: 50 } as const;
const defaultBatchMax = 200;

/** One member of a group; partitions are assigned round-robin. */
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
      // Running records end before another member takes over the partitions.
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
      // A member that took the partition over meanwhile may be further already.
      group.offsets.set(key, Math.max(done(topic, partition), nextOffset(result)));
      if (result.postponed.size > 0) await pause(retryBackoff.maxMs, stopping.signal);
    }
  }

  /** Ends in the same step in which it finds nothing, so that no wake is lost in between. */
  async function drain(topic: TopicName, partition: number): Promise<void> {
    const key = `${topic}/${partition}`;
    if (busy.has(key)) return;
    busy.add(key);
    const mayContinue = () => !stopping.signal.aborted && isMine(partition) && !flooded.has(key);
    try {
      while (mayContinue() && done(topic, partition) < log.end(topic, partition)) {
        await handleNext(topic, partition, key);
      }
    } finally {
      busy.delete(key);
    }
  }

  /** Partitions are independent: one in backoff does not delay the others. */
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

/** What comes after a postponed record is delivered with it again. */
function nextOffset({ lastOffset, postponed }: SliceResult & { readonly result: 'done' }): number {
  return Math.min(...[...postponed].map(Number), Number(lastOffset) + 1);
}
