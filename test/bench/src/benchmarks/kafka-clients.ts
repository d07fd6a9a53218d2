import { setTimeout as delay } from 'node:timers/promises';
import { serviceNames } from '@inventory/contracts/topics';
import type { Stack } from '@inventory/local-stack/stack';
import { createKafkaBus } from '@inventory/messaging/kafka/kafka-bus';
import { ensureTopics } from '@inventory/messaging/kafka/topic-admin';
import { sizeInventory } from '@inventory/platform-simulator/scenarios';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import type { KafkaClient } from '@inventory/runtime/kafka-access';
import { createLogger } from '@inventory/runtime/logger';
import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { withStack } from '../bench-stack.ts';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { openCustomer } from '../customer.ts';
import { closedLoop, percentiles } from '../load.ts';
import { cpuMs, residentMb } from '../process-usage.ts';
import { lessIsBetter, type Row } from '../row.ts';

const rounds = 3;
const concurrency = 32;

/**
 * The second client of Kafka beside the default one: the same hop, and two stacks that differ in the
 * client alone. They take turns, so that both meet the same machine.
 */
export const kafkaClients: Benchmark = {
  name: 'kafka-clients',
  run: async (context) => [...(await hops(context)), ...(await stacks(context))],
};

/** From publish to handler, one message each 10 ms. */
async function hops({ backends, quick }: BenchContext): Promise<Row[]> {
  const logger = createLogger({ service: 'bench', level: 'silent' });
  const cluster = { brokers: backends.kafkaBrokers.split(','), topicPrefix: 'bench.hops.', logger };
  await ensureTopics({ ...cluster, partitions: 12, replicationFactor: 1 });
  const measured = { kafkajs: [] as number[], platformatic: [] as number[] };
  const open = (client: KafkaClient) => openHop({ ...cluster, client });
  const hopsOf = { kafkajs: await open('kafkajs'), platformatic: await open('platformatic') };
  for (let round = 0; round < rounds; round += 1) {
    for (const client of ['kafkajs', 'platformatic'] as const) {
      const tookMs = await hopsOf[client].send(quick ? 200 : 1_000);
      measured[client].push(...tookMs.slice(50));
    }
  }
  await Promise.all(Object.values(hopsOf).map((hop) => hop.close()));
  const [value, yardstick] = [percentiles(measured.platformatic), percentiles(measured.kafkajs)];
  return [
    beside('hop from publish to handler, p50', 'ms', value.p50Ms, yardstick.p50Ms),
    beside('hop from publish to handler, p99', 'ms', value.p99Ms, yardstick.p99Ms),
  ];
}

async function openHop(
  cluster: Omit<Parameters<typeof createKafkaBus>[0], 'service' | 'identifiers'>,
) {
  const bus = await createKafkaBus({
    ...cluster,
    service: 'bench',
    identifiers: systemIdentifiers,
  });
  const arrivals = new Map<string, () => void>();
  await bus.consume({
    group: `hops-${cluster.client}`,
    topics: ['refresh.commands.v1'],
    onBatch: async (messages) => {
      for (const { id } of messages) arrivals.get(id)?.();
    },
  });
  async function one(id: string): Promise<number> {
    const startMs = performance.now();
    const arrived = new Promise<void>((resolve) => {
      arrivals.set(id, resolve);
    });
    await bus.publish([{ type: 'refresh.cancel.v1', id, body: cancelled() }]);
    await arrived;
    return performance.now() - startMs;
  }
  return {
    async send(count: number): Promise<number[]> {
      const tookMs: Promise<number>[] = [];
      for (let index = 0; index < count; index += 1) {
        tookMs.push(one(systemIdentifiers.uuidV7()));
        await delay(10);
      }
      return await Promise.all(tookMs);
    },
    close: () => bus.close(),
  };
}

const cancelled = () => ({
  refresh_id: newRefreshId(),
  account_id: newAccountId(),
  project_id: newProjectId(),
  requested_at: '2026-01-01T00:00:00.000Z',
});

function stacks({ backends, quick }: BenchContext): Promise<Row[]> {
  const withClient = <Result>(client: KafkaClient, work: (stack: Stack) => Promise<Result>) => {
    const settings = serviceNames.map((name) => [name, { KAFKA_CLIENT: client }]);
    const serviceEnvironment = Object.fromEntries(settings);
    return withStack(backends, { name: `clients-${client}`, serviceEnvironment }, work);
  };
  return withClient('kafkajs', (first) =>
    withClient('platformatic', async (second) => {
      const sides = { kafkajs: await openSide(first), platformatic: await openSide(second) };
      for (let round = 0; round < rounds; round += 1) {
        for (const side of Object.values(sides)) await side.load(quick ? 4_000 : 15_000);
      }
      const idleMs = quick ? 10_000 : 30_000;
      const [yardstick, value] = [sides.kafkajs.idle(), sides.platformatic.idle()];
      await delay(idleMs);
      const percent = (usedMs: number) => (100 * usedMs) / idleMs;
      const rows = [
        beside(
          'CPU per one-page refresh, five services',
          'ms',
          sides.platformatic.perRefreshMs(),
          sides.kafkajs.perRefreshMs(),
        ),
        beside('idle CPU, five services', '%', percent(value()), percent(yardstick())),
        beside('memory after the load, five services', 'MB', memoryOf(second), memoryOf(first)),
      ];
      await Promise.all(Object.values(sides).map((side) => side.close()));
      return rows;
    }),
  );
}

async function openSide(stack: Stack) {
  const customer = await openCustomer(stack);
  let serial = 0;
  const work = async () => {
    serial += 1;
    await customer.completed(await customer.refresh(sizeInventory(1, serial)));
  };
  await closedLoop({ concurrency, durationMs: 3_000, work });
  let usedMs = 0;
  let refreshes = 0;
  return {
    async load(durationMs: number): Promise<void> {
      const beforeMs = cpuOf(stack);
      const { count } = await closedLoop({ concurrency, durationMs, work });
      usedMs += cpuOf(stack) - beforeMs;
      refreshes += count;
    },
    perRefreshMs: () => usedMs / refreshes,
    /** The CPU time since this call. */
    idle() {
      const beforeMs = cpuOf(stack);
      return () => cpuOf(stack) - beforeMs;
    },
    close: () => customer.close(),
  };
}

const pidsOf = (stack: Stack) => stack.services.flatMap(({ pid }) => (pid === null ? [] : [pid]));
const cpuOf = (stack: Stack) => pidsOf(stack).reduce((sum, pid) => sum + cpuMs(pid), 0);
const memoryOf = (stack: Stack) => pidsOf(stack).reduce((sum, pid) => sum + residentMb(pid), 0);

function beside(what: string, unit: string, value: number, yardstick: number): Row {
  return lessIsBetter({ name: `@platformatic/kafka, ${what}`, unit, value, yardstick });
}
