import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backends } from '@inventory/backends/provision-backends';
import type { Stack } from '@inventory/local-stack/stack';
import { startStack } from '@inventory/local-stack/start-stack';

export interface BenchStackOptions {
  readonly name: string;
  /** What the simulated platform takes to answer. */
  readonly platformLatencyMs?: number;
  /** What the egress identities allow together; without it they never hold anything back. */
  readonly pagesPerMinute?: number;
}

/** Runs `work` on a stack of its own over the benchmark's backends, and removes every trace. */
export async function withStack<Result>(
  backends: Backends,
  options: BenchStackOptions,
  work: (stack: Stack) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'inventory-bench-'));
  const { kafkaBrokers, mongodbUri } = backends;
  const stack = await startStack({
    folder,
    environment: {},
    backends: { kafkaBrokers, mongodbUri },
    topicPrefix: `bench.${options.name}.`,
    databasePrefix: `bench_${options.name.replaceAll('-', '_')}_`,
    simulator: {
      SIMULATOR_SLOTS: 'unlimited',
      SIMULATOR_LATENCY_MS: String(options.platformLatencyMs ?? 0),
    },
    serviceEnvironment: {
      'refresh-collector': {
        IDENTITY_REQUESTS_PER_MINUTE: String(options.pagesPerMinute ?? 100_000),
        IDENTITY_BURST: options.pagesPerMinute === undefined ? '1000' : '2',
      },
    },
  });
  try {
    return await work(stack);
  } finally {
    await stack.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
