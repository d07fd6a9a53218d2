import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@inventory/backends/free-port';
import type { ServiceName } from '@inventory/contracts/topics';
import type { Stack, StackService } from '@inventory/local-stack/stack';
import { type StackOptions, startStack } from '@inventory/local-stack/start-stack';
import { connectMongo, type MongoConnection } from '@inventory/mongo/connect';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { closeCalls } from '../../../services/gateway/test/support/api-call.ts';
import { machineEnvironment } from '../../support/start-command.ts';
import { createOperator, type Operator } from './operator.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

type Settings = Readonly<Record<string, string>>;

export interface TestStackOptions
  extends Pick<
    StackOptions,
    'replicas' | 'root' | 'simulator' | 'serviceEnvironment' | 'kafkaSettings' | 'backendPorts'
  > {
  /** Settings of every process. */
  readonly environment?: Settings;
  /** A Kafka and a MongoDB of its own, which the test may stop. */
  readonly ownBackends?: boolean;
  /** Directories of the stack that get a disk of their own of so many MiB. */
  readonly disks?: Readonly<Record<string, number>>;
  /** Egress identities of the collector; the simulator limits none of them. */
  readonly egressIdentities?: number;
  /** A stack that was handed over; this one uses its Kafka, databases and secrets. */
  readonly after?: TestStack;
}

export type Records = MongoConnection['db'];

/** The whole product as real processes on the run's Kafka and MongoDB, for one test file. */
export interface TestStack extends Stack {
  readonly folder: string;
  readonly names: Names;
  readonly operator: Operator;
  /** By their directory. */
  readonly disks: ReadonlyMap<string, SmallDisk>;
  /** Public addresses of all gateways. */
  readonly gatewayUrls: readonly string[];
  replicasOf(service: ServiceName): readonly StackService[];
  /** The only replica of a service, or its first. */
  service(name: ServiceName): StackService;
  /** The database of a service: for state that no API shows. */
  recordsOf(service: ServiceName): Promise<Records>;
  /** Ends every process and keeps the data, for a stack that starts after it. */
  handOver(): Promise<void>;
  close(): Promise<void>;
}

/** What a story needs of a stack, its own one or the shared one. */
export type StoryStack = Pick<
  TestStack,
  'gatewayUrl' | 'gatewayUrls' | 'operator' | 'recordsOf' | 'simulatorUrl'
>;

/** Servers shared with other stacks, and its prefixes there. */
type Names = Pick<StackOptions, 'backends' | 'topicPrefix' | 'databasePrefix'>;

/** No limits, and short timeouts for the simulated platform. */
const simulatorSettings: Settings = {
  SIMULATOR_SLOTS: 'unlimited',
  SIMULATOR_BLOCK_SECONDS: '1',
  SIMULATOR_LATENCY_MS: '20',
};
const collectorSettings: Settings = {
  IDENTITY_REQUESTS_PER_MINUTE: '60000',
  IDENTITY_BURST: '1000',
  IDENTITY_COOLDOWN_FIRST_MS: '1500',
  IDENTITY_COOLDOWN_MAX_MS: '3000',
  PAGE_RETRY_MS: '100',
  PAGE_DUPLICATE_RETRY_MS: '200',
};

export async function openTestStack(options: TestStackOptions = {}): Promise<TestStack> {
  const folder = options.after?.folder ?? mkdtempSync(join(tmpdir(), 'end-to-end-'));
  const names = options.after?.names ?? (options.ownBackends ? {} : await sharedBackends());
  const disks = new Map(
    Object.entries(options.disks ?? {}).map(([path, sizeMiB]) => [
      path,
      mountSmallDisk(join(folder, path), sizeMiB),
    ]),
  );
  const removeFolder = () => {
    for (const disk of disks.values()) disk.unmount();
    rmSync(folder, { recursive: true, force: true });
  };
  const simulatorPort = await findFreePort();
  const stack = await startStack({
    directory: folder,
    environment: { ...machineEnvironment(), INVENTORY_DOCKER: 'never', ...options.environment },
    ...names,
    ports: { simulator: simulatorPort },
    ...(options.replicas ? { replicas: options.replicas } : {}),
    ...(options.root ? { root: options.root } : {}),
    ...(options.kafkaSettings ? { kafkaSettings: options.kafkaSettings } : {}),
    ...(options.backendPorts ? { backendPorts: options.backendPorts } : {}),
    simulator: { ...simulatorSettings, ...options.simulator },
    serviceEnvironment: {
      ...options.serviceEnvironment,
      'refresh-collector': {
        ...collectorSettings,
        PLATFORM_EGRESS: egress(simulatorPort, options.egressIdentities ?? 8),
        ...options.serviceEnvironment?.['refresh-collector'],
      },
    },
  }).catch((error: unknown) => {
    removeFolder();
    throw error;
  });
  const connections = new Map<ServiceName, Promise<MongoConnection>>();
  const replicasOf = (name: ServiceName) =>
    stack.services.filter(({ service }) => service === name);
  const disconnect = async () => {
    for (const connection of connections.values()) await (await connection).close();
    connections.clear();
  };
  return Object.assign(stack, {
    folder,
    names,
    disks,
    operator: createOperator(stack),
    gatewayUrls: stack.services.flatMap(({ publicUrl }) => publicUrl ?? []),
    replicasOf,
    service(name: ServiceName) {
      const [first] = replicasOf(name);
      if (!first) throw new Error(`the stack runs no ${name}`);
      return first;
    },
    async recordsOf(service: ServiceName) {
      const known = connections.get(service) ?? connectTo(stack, service);
      connections.set(service, known);
      return (await known).db;
    },
    async handOver() {
      await disconnect();
      await stack.stop();
    },
    async close() {
      closeCalls();
      await disconnect();
      await stack.stop();
      removeFolder();
    },
  });
}

async function sharedBackends(): Promise<Names> {
  const namespace = await openNamespace({ topics: false });
  return {
    backends: {
      kafkaBrokers: namespace.kafkaBrokers.join(','),
      mongodbUri: namespace.mongodbUri,
    },
    topicPrefix: namespace.topicPrefix,
    databasePrefix: namespace.database(''),
  };
}

function egress(simulatorPort: number, identities: number): string {
  return Array.from(
    { length: identities },
    (_none, index) => `http://egress-${index + 1}:-@127.0.0.1:${simulatorPort}`,
  ).join(',');
}

function connectTo(stack: Stack, service: ServiceName): Promise<MongoConnection> {
  return connectMongo({
    uri: stack.mongodbUri,
    database: stack.databaseOf(service),
    service: 'test',
    logger: testLogger,
  });
}
