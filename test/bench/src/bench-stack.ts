import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@inventory/backends/free-port';
import type { Backends } from '@inventory/backends/provision-backends';
import type { Stack } from '@inventory/local-stack/stack';
import { type StackOptions, startStack } from '@inventory/local-stack/start-stack';

export interface BenchStackOptions {
  readonly name: string;
  /** What the simulated platform takes to answer. */
  readonly platformLatencyMs?: number;
  /** What each egress identity allows; without it they never hold anything back. */
  readonly pagesPerMinute?: number;
  /** How many identities there are; without it as many as the local stack has. */
  readonly egressIdentities?: number;
  /** Limits of the simulated platform; without them it has none. */
  readonly simulator?: Readonly<Record<string, string>>;
  readonly replicas?: StackOptions['replicas'];
  readonly serviceEnvironment?: StackOptions['serviceEnvironment'];
}

/** Runs `work` on a stack of its own over the benchmark's backends, and removes every trace. */
export async function withStack<Result>(
  backends: Backends,
  options: BenchStackOptions,
  work: (stack: Stack) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'inventory-bench-'));
  const { kafkaBrokers, mongodbUri } = backends;
  const simulatorPort = await findFreePort();
  const stack = await startStack({
    directory: folder,
    ports: { simulator: simulatorPort },
    environment: {},
    backends: { kafkaBrokers, mongodbUri },
    topicPrefix: `bench.${options.name}.`,
    databasePrefix: `bench_${options.name.replaceAll('-', '_')}_`,
    ...(options.replicas ? { replicas: options.replicas } : {}),
    simulator: {
      SIMULATOR_SLOTS: 'unlimited',
      SIMULATOR_LATENCY_MS: String(options.platformLatencyMs ?? 0),
      ...options.simulator,
    },
    serviceEnvironment: {
      ...options.serviceEnvironment,
      'refresh-collector': {
        IDENTITY_REQUESTS_PER_MINUTE: String(options.pagesPerMinute ?? 100_000),
        IDENTITY_BURST: options.pagesPerMinute === undefined ? '1000' : '2',
        ...egressOf(simulatorPort, options.egressIdentities),
        ...options.serviceEnvironment?.['refresh-collector'],
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

function egressOf(simulatorPort: number, identities: number | undefined): Record<string, string> {
  if (identities === undefined) return {};
  const names = Array.from(
    { length: identities },
    (_none, index) => `http://egress-${index + 1}:-@127.0.0.1:${simulatorPort}`,
  );
  return { PLATFORM_EGRESS: names.join(',') };
}
