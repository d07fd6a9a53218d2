import { findFreePort } from '@inventory/backends/free-port';
import { boundLog } from '@inventory/backends/log-file';
import type { OnProgress } from '@inventory/backends/progress';
import { type ProvisionOptions, provisionBackends } from '@inventory/backends/provision-backends';
import type { ServiceName } from '@inventory/contracts/topics';
import { ensureTopics } from '@inventory/messaging/kafka/topic-admin';
import { kafkaAccess, kafkaSettings } from '@inventory/runtime/kafka-access';
import { type Lifetime, openLifetime } from '@inventory/runtime/lifetime';
import { createLogger } from '@inventory/runtime/logger';
import { readSettings } from '@inventory/runtime/settings';
import { type LocalDirectory, openLocalDirectory } from './local-directory.ts';
import { repositoryRoot } from './repository-root.ts';
import { keepSecrets } from './secrets.ts';
import { assignAddresses, localUrl, sandboxCollectorUrl } from './service-address.ts';
import { databaseOf, type Environment } from './service-environment.ts';
import type { Stack } from './stack.ts';
import type { Replicas } from './stack-settings.ts';
import {
  openInternalUrls,
  type StackRuntime,
  startServices,
  startSimulator,
} from './start-services.ts';

export interface StackOptions {
  /** Where secrets, logs and (of native servers) data are kept; see {@link LocalDirectory}. */
  readonly directory: string;
  /** Holds settings of services, simulator and backends. */
  readonly environment: Environment;
  /** A running Kafka and MongoDB; without it they are provisioned. */
  readonly backends?: { readonly kafkaBrokers: string; readonly mongodbUri: string };
  /** Ports of provisioned native servers; free ones when absent. */
  readonly backendPorts?: { readonly kafka?: number; readonly mongodb?: number };
  /** Of a provisioned native Kafka, over the defaults. */
  readonly kafkaSettings?: ProvisionOptions['kafkaSettings'];
  /** Absent or 0: any free port. */
  readonly ports?: {
    readonly gateway?: number;
    readonly operator?: number;
    readonly simulator?: number;
  };
  /** Together these let several stacks share one Kafka and one MongoDB. */
  readonly topicPrefix?: string;
  readonly databasePrefix?: string;
  readonly replicas?: Replicas;
  /** A compiled checkout whose services are started; this one when absent. */
  readonly root?: string;
  /** Whether accounts may have a sandbox: a second refresh-collector reads the simulator for it. */
  readonly hasSandbox?: boolean;
  /** Read instead of a simulator, which is then not started. */
  readonly platformBaseUrl?: string | null;
  /** Settings of the simulator, over those of the environment. */
  readonly simulator?: Environment;
  /** Settings of single live services, over everything else. */
  readonly serviceEnvironment?: Readonly<Partial<Record<ServiceName, Environment>>>;
  readonly onProgress?: OnProgress;
  /** Called when the `pid` of a service has changed. */
  readonly onRestarted?: () => void;
  /** Aborted: everything that was started ends, and the promise rejects. */
  readonly signal?: AbortSignal;
}

const partitions = 6;
const boundLogsPauseMs = 30_000;
const stopTimeoutMs = 60_000;
const logger = createLogger({ service: 'local-stack', level: 'silent' });

/**
 * Starts backends, topics, simulator and the five services, and starts again what ends
 * unexpectedly. Rejects with a SetupError when the machine lacks something.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { signal } = options;
  const lifetime = openLifetime(logger, stopTimeoutMs);
  const abort = (): void => void lifetime.close();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    signal?.throwIfAborted();
    return await start(options, lifetime);
  } catch (error) {
    await lifetime.close();
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

async function start(options: StackOptions, lifetime: Lifetime): Promise<Stack> {
  const { topicPrefix = '', databasePrefix = 'inventory_', platformBaseUrl = null } = options;
  const { onProgress = () => {}, onRestarted = () => {} } = options;
  const directory = openLocalDirectory(options.directory);
  const secrets = keepSecrets(directory.secretsFile);
  const { root = repositoryRoot } = options;
  const runtime = { root, logsDir: directory.logsDir, onProgress, onRestarted, lifetime };
  const backends = await openBackends(options, directory, runtime);
  const { kafkaBrokers, mongodbUri } = backends;
  const common = { kafkaBrokers, mongodbUri, topicPrefix, databasePrefix, secrets };
  await createTopics({ ...options.environment, KAFKA_BROKERS: kafkaBrokers }, topicPrefix, runtime);

  const { gateway = 0, operator = 0, simulator: simulatorPort = 0 } = options.ports ?? {};
  const port = platformBaseUrl === null ? simulatorPort || (await findFreePort()) : null;
  const fixed = { gateway, operator, simulator: port };
  const addresses = await assignAddresses(options.replicas ?? {}, fixed, options.hasSandbox);
  const simulatorUrl = port === null ? null : localUrl(port);
  const internalUrls = await openInternalUrls(addresses, runtime);
  const [simulator, services] = await Promise.all([
    port === null ? null : startSimulator(runtime, { ...simulatorSettings(options), port }),
    startServices(runtime, addresses, ({ service, environment }) => ({
      ...common,
      internalUrls,
      simulatorUrl,
      sandboxCollectorUrl: sandboxCollectorUrl(addresses),
      given: options.environment,
      overrides: {
        ...(platformBaseUrl === null ? {} : { PLATFORM_BASE_URL: platformBaseUrl }),
        ...(environment === 'live' ? options.serviceEnvironment?.[service] : {}),
      },
    })),
  ]);
  boundLogs([...(simulator ? [simulator] : []), ...services], lifetime);
  const [first] = services;
  return {
    ...backends,
    gatewayUrl: first?.publicUrl ?? '',
    operatorUrl: first?.operatorUrl ?? '',
    operatorToken: secrets.operatorToken,
    simulatorUrl,
    topicPrefix,
    services,
    simulator,
    databaseOf: (service) => databaseOf(service, databasePrefix),
    stop: () => lifetime.close(),
  };
}

function simulatorSettings({ environment, simulator }: StackOptions) {
  return { given: environment, overrides: simulator ?? {} };
}

/**
 * One broker is its own quorum: started again after a kill, it waits until the session of the killed
 * one has expired, 9 s by default. A session that expires while the broker runs is renewed at once.
 */
const localBroker = { 'broker.session.timeout.ms': 1_500, 'broker.heartbeat.interval.ms': 300 };

type OpenBackends = Pick<Stack, 'kafkaBrokers' | 'mongodbUri' | 'origin' | 'kafka' | 'mongodb'>;

async function openBackends(
  options: StackOptions,
  directory: LocalDirectory,
  { lifetime, onProgress }: StackRuntime,
): Promise<OpenBackends> {
  if (options.backends) {
    const origin = { kafka: 'Kafka at the address given', mongodb: 'MongoDB at the address given' };
    return { ...options.backends, origin, kafka: null, mongodb: null };
  }
  const { environment, backendPorts, kafkaSettings } = options;
  const { stop, ...backends } = await provisionBackends({
    environment,
    dataDir: directory.dataDir,
    onProgress,
    ...(backendPorts ? { ports: backendPorts } : {}),
    kafkaSettings: { ...localBroker, ...kafkaSettings },
    signal: lifetime.signal,
  });
  lifetime.defer('backends', stop);
  return backends;
}

async function createTopics(
  environment: Environment,
  topicPrefix: string,
  { onProgress }: StackRuntime,
): Promise<void> {
  const created = await ensureTopics({
    ...kafkaAccess(readSettings(kafkaSettings, environment)),
    partitions,
    replicationFactor: 1,
    topicPrefix,
    logger,
  });
  if (created.length > 0) onProgress(`${created.length} Kafka topics were created.`, 'step');
}

function boundLogs(processes: readonly { readonly logFile: string }[], lifetime: Lifetime): void {
  const bounding = setInterval(() => {
    for (const { logFile } of processes) boundLog(logFile);
  }, boundLogsPauseMs);
  lifetime.defer('logs', () => clearInterval(bounding));
}
