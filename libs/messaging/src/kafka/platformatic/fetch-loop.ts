import { jitteredDelayMs } from '@inventory/runtime/backoff';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { ClusterMetadata } from '@platformatic/kafka';
import type { MemberHandlers } from '../wire-client.ts';
import {
  type BrokerFetch,
  type FetchOptions,
  fetchFromBroker,
  movedIntoRange,
} from './broker-fetch.ts';
import { has } from './client.ts';
import type { AssignedPartition, FetchedPartition } from './fetched-records.ts';

export interface FetchLoopOptions extends FetchOptions {
  readonly topics: readonly string[];
  readonly handle: MemberHandlers['batch'];
  readonly logger: Logger;
  readonly fetched: () => void;
  /** The records at the positions that the assignment began with have expired. */
  readonly skipped: (positions: readonly AssignedPartition[]) => Promise<void>;
  readonly failed: () => void;
  /** Another number of partitions than when the assignment began. */
  readonly outgrown: () => void;
}

const backoff = { firstMs: 100, maxMs: 2_000 } as const;
const keyOf = (topic: string, partition: number) => `${topic}/${partition}`;

/** Fetches the partitions of one assignment, from each broker one request after the other. */
export type FetchLoop = ReturnType<typeof createFetchLoop>;

export function createFetchLoop(options: FetchLoopOptions) {
  const paused = new Set<string>();
  /** Brokers that have a request, also one of an earlier assignment. */
  const busy = new Set<number>();
  let changed = Promise.withResolvers<void>();
  let ending = new AbortController();
  let isClosed = false;

  function wake(): void {
    changed.resolve();
    changed = Promise.withResolvers();
  }

  function end(): void {
    ending.abort();
    ending = new AbortController();
    wake();
  }

  return {
    /** Ends the assignment before: what it has fetched is dropped. */
    start(partitions: readonly AssignedPartition[]): void {
      end();
      if (isClosed) return;
      const shared = { busy, isPaused: (key: string) => paused.has(key), wake };
      const assignment = openAssignment(options, partitions, shared, ending.signal);
      void assignment.run(() => changed.promise);
    },
    end,
    /** Ends it for good. */
    close(): void {
      isClosed = true;
      end();
    },
    pause(topic: string, partition: number): void {
      paused.add(keyOf(topic, partition));
    },
    resume(topic: string, partition: number): void {
      paused.delete(keyOf(topic, partition));
      wake();
    },
  };
}

interface SharedState {
  readonly busy: Set<number>;
  readonly isPaused: (key: string) => boolean;
  readonly wake: () => void;
}

function openAssignment(
  options: FetchLoopOptions,
  partitions: readonly AssignedPartition[],
  { busy, isPaused, wake }: SharedState,
  signal: AbortSignal,
) {
  const { consumer, logger } = options;
  const positions = new Map<string, AssignedPartition>();
  let failures = 0;
  let known: number | undefined;
  const first = new Set<AssignedPartition | undefined>(partitions);

  function move(one: AssignedPartition): void {
    positions.set(keyOf(one.topic, one.partition), one);
  }

  async function handle({ topic, partition, records, next, behind }: FetchedPartition) {
    const accept = () => {
      if (!signal.aborted) move({ topic, partition, offset: next });
    };
    if (records.length === 0) accept();
    else await options.handle({ topic, partition, records, behind, accept });
  }

  async function failed(error: unknown): Promise<void> {
    if (signal.aborted) return;
    failures += 1;
    options.failed();
    logger.warn({ err: error, failures }, 'fetch failed');
    consumer.clearMetadata();
    await pause(jitteredDelayMs(backoff, failures), signal);
  }

  async function serve(request: BrokerFetch): Promise<void> {
    try {
      const fetched = await fetchFromBroker(options, request);
      if (signal.aborted) return;
      failures = 0;
      options.fetched();
      await Promise.all(fetched.map(handle));
    } catch (error) {
      if (!has(error, 'apiId', 'OFFSET_OUT_OF_RANGE')) return await failed(error);
      await moveIntoRange(request.wanted).catch(failed);
    }
  }

  async function moveIntoRange(wanted: readonly AssignedPartition[]): Promise<void> {
    const moved = await movedIntoRange(consumer, wanted);
    if (signal.aborted) return;
    // Behind any other position there may be records that are not handled yet.
    await options.skipped(
      moved.filter(({ topic, partition }) => first.has(positions.get(keyOf(topic, partition)))),
    );
    moved.forEach(move);
  }

  /** Asks each broker that is not being asked. */
  function askBrokers(metadata: ClusterMetadata): void {
    const open = [...positions].filter(([key]) => !isPaused(key)).map(([, one]) => one);
    const leaderOf = ({ topic, partition }: AssignedPartition) =>
      metadata.topics.get(topic)?.partitions[partition]?.leader ?? -1;
    for (const [node, wanted] of Map.groupBy(open, leaderOf)) {
      if (busy.has(node)) continue;
      busy.add(node);
      void serve({ node, wanted, metadata }).finally(() => {
        busy.delete(node);
        wake();
      });
    }
    // A member without a partition has nothing to fetch.
    if (positions.size === 0) options.fetched();
  }

  async function turn(untilChanged: () => Promise<void>): Promise<void> {
    const metadata = await consumer.metadata({ topics: [...options.topics] });
    const count = countPartitions(metadata);
    if (known !== undefined && count !== known) options.outgrown();
    known = count;
    if (signal.aborted) return;
    const change = untilChanged();
    askBrokers(metadata);
    await change;
  }

  partitions.forEach(move);
  return {
    async run(untilChanged: () => Promise<void>): Promise<void> {
      while (!signal.aborted) await turn(untilChanged).catch(failed);
    },
  };
}

function countPartitions({ topics }: ClusterMetadata): number {
  return [...topics.values()].reduce((sum, { partitionsCount }) => sum + partitionsCount, 0);
}
