import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@inventory/backends/free-port';
import type { Backends } from '@inventory/backends/provision-backends';
import type { Stack } from '@inventory/local-stack/stack';
import { type StackOptions, startStack } from '@inventory/local-stack/start-stack';
import { type Customer, openCustomer } from './customer.ts';

/** How a stack differs from the plain one, whose platform responds at once and has no limits. */
export interface BenchStackOptions
  extends Pick<StackOptions, 'replicas' | 'serviceEnvironment' | 'hasSandbox'> {
  /** What each egress identity allows a minute, and how many there are. */
  readonly egress?: { readonly pagesPerMinute?: number; readonly identities: number };
  readonly simulator?: Readonly<Record<string, string>>;
}

export interface BenchStacks {
  /** Runs `work` on a stack of these options. */
  withStack<Result>(
    options: BenchStackOptions,
    work: (stack: Stack) => Promise<Result>,
  ): Promise<Result>;
  /** The same, with a new customer. */
  withCustomer<Result>(
    options: BenchStackOptions,
    work: (stack: Stack, customer: Customer) => Promise<Result>,
  ): Promise<Result>;
  close(): Promise<void>;
}

interface OpenStack {
  readonly options: string;
  readonly stack: Stack;
  readonly close: () => Promise<void>;
  /** Nothing is done on it, and nothing failed on it. */
  isFree: boolean;
}

/** One stack at a time, kept for the benchmarks with the same options that follow. */
export function openStacks(backends: Backends): BenchStacks {
  let open: OpenStack | undefined;

  async function close(): Promise<void> {
    const closing = open;
    open = undefined;
    await closing?.close();
  }

  async function stackOf(wanted: BenchStackOptions): Promise<OpenStack> {
    const options = JSON.stringify(wanted);
    if (open?.isFree && open.options === options) return open;
    await close();
    open = { ...(await startBenchStack(backends, wanted)), options, isFree: true };
    return open;
  }

  const withStack: BenchStacks['withStack'] = async (options, work) => {
    const used = await stackOf(options);
    used.isFree = false;
    const result = await work(used.stack);
    used.isFree = true;
    return result;
  };

  return {
    withStack,
    withCustomer: (options, work) =>
      withStack(options, async (stack) => {
        const customer = await openCustomer(stack);
        const result = await work(stack, customer);
        await customer.close();
        return result;
      }),
    close,
  };
}

async function startBenchStack(
  { kafkaBrokers, mongodbUri }: Backends,
  { egress, simulator, serviceEnvironment, ...options }: BenchStackOptions,
): Promise<Pick<OpenStack, 'stack' | 'close'>> {
  const directory = mkdtempSync(join(tmpdir(), 'inventory-bench-'));
  const simulatorPort = await findFreePort();
  const run = randomUUID().slice(0, 8);
  const stack = await startStack({
    ...options,
    directory,
    ports: { simulator: simulatorPort },
    environment: {},
    backends: { kafkaBrokers, mongodbUri },
    topicPrefix: `bench.${run}.`,
    databasePrefix: `bench_${run}_`,
    simulator: { SIMULATOR_SLOTS: 'unlimited', SIMULATOR_LATENCY_MS: '0', ...simulator },
    serviceEnvironment: {
      ...serviceEnvironment,
      'refresh-collector': {
        ...egressSettings(simulatorPort, egress),
        ...serviceEnvironment?.['refresh-collector'],
      },
    },
  });
  const close = async () => {
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { stack, close };
}

/** Without limits identities never hold anything back. */
function egressSettings(
  simulatorPort: number,
  egress: BenchStackOptions['egress'],
): Record<string, string> {
  const { pagesPerMinute, identities = 8 } = egress ?? {};
  const addresses = Array.from(
    { length: identities },
    (_none, index) => `http://egress-${index + 1}:-@127.0.0.1:${simulatorPort}`,
  );
  return {
    PLATFORM_EGRESS: addresses.join(','),
    IDENTITY_REQUESTS_PER_MINUTE: String(pagesPerMinute ?? 100_000),
    IDENTITY_BURST: pagesPerMinute === undefined ? '1000' : '2',
  };
}
