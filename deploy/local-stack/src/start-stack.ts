import { findFreePort } from '@inventory/backends/free-port';
import {
  type Backends,
  type ProvisionOptions,
  provisionBackends,
} from '@inventory/backends/provision-backends';
import type { ServiceName } from '@inventory/contracts/topics';
import { ensureTopics } from '@inventory/messaging/kafka/topic-admin';
import { kafkaAccess, kafkaSettings } from '@inventory/runtime/kafka-access';
import { createLogger } from '@inventory/runtime/logger';
import { readSettings } from '@inventory/runtime/settings';
import { launchBackend } from './launch-backend.ts';
import { type LocalDirectory, openLocalDirectory } from './local-directory.ts';
import { boundLog, logPath, rotateLog } from './log-file.ts';
import type { Reporter } from './report.ts';
import { keepSecrets } from './secrets.ts';
import { assignAddresses, localUrl, type ServiceAddress } from './service-address.ts';
import { databaseOf, type Environment } from './service-environment.ts';
import type { Stack, StackPart } from './stack.ts';
import type { Replicas } from './stack-settings.ts';
import {
  openInternalUrls,
  type StackRuntime,
  startServices,
  startSimulator,
} from './start-services.ts';
import { StopStages } from './stop-stages.ts';
import { supervisePart } from './supervise-part.ts';

export interface StackOptions {
  /** Where secrets, logs and (of native servers) data are kept; see {@link LocalDirectory}. */
  readonly folder: string;
  /** Settings of services, simulator and backends are looked up in it. */
  readonly environment: Environment;
  /** A Kafka and a MongoDB that run already; without it they are provisioned. */
  readonly backends?: { readonly kafkaBrokers: string; readonly mongodbUri: string };
  /** Ports of provisioned native servers; free ones when absent. */
  readonly backendPorts?: { readonly kafka?: number; readonly mongodb?: number };
  /** Of a provisioned native Kafka, over its own. */
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
  /** Read instead of a simulator, which is then not started. */
  readonly platformBaseUrl?: string | null;
  /** Settings of the simulator, over those of the environment. */
  readonly simulator?: Environment;
  /** Settings of single services, over everything else. */
  readonly serviceEnvironment?: Readonly<Partial<Record<ServiceName, Environment>>>;
  readonly report?: Reporter;
  /** Told when a process was replaced by another: `pid` of a part has changed. */
  readonly onReplaced?: () => void;
  /** Aborted: what was begun is ended, and the promise rejects. */
  readonly signal?: AbortSignal;
}

const partitions = 6;
const boundLogsEveryMs = 30_000;

/**
 * Starts backends, topics, simulator and the five services, and keeps them running.
 * Rejects with a ProvisionError whose message says what to do where the machine is in the way.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stages = new StopStages();
  const { signal } = options;
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    signal?.throwIfAborted();
    return await Promise.race([start(options, stages), aborted]);
  } catch (error) {
    await stages.stop(false);
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

async function start(options: StackOptions, stages: StopStages): Promise<Stack> {
  const folder = openLocalDirectory(options.folder);
  const secrets = keepSecrets(folder.secretsFile);
  const runtime: StackRuntime = {
    logsDir: folder.logsDir,
    report: options.report ?? (() => {}),
    onReplaced: options.onReplaced ?? (() => {}),
    stages,
  };
  const { topicPrefix = '', databasePrefix = 'inventory_', platformBaseUrl = null } = options;
  const backends = await openBackends(options, folder, runtime);
  const { kafkaBrokers, mongodbUri } = backends;
  const common = { kafkaBrokers, mongodbUri, topicPrefix, databasePrefix, secrets };
  await createTopics({ ...options.environment, KAFKA_BROKERS: kafkaBrokers }, topicPrefix, runtime);

  const { gateway = 0, operator = 0, simulator: simulatorPort = 0 } = options.ports ?? {};
  const port = platformBaseUrl === null ? simulatorPort || (await findFreePort()) : null;
  const fixed = { gateway, operator, simulator: port };
  const addresses = await assignAddresses(options.replicas ?? {}, fixed);
  const simulatorUrl = port === null ? null : localUrl(port);
  stages.nextStage();
  keepLogs(addresses, runtime);
  const internalUrls = await openInternalUrls(addresses, stages);
  stages.nextStage();
  const [simulator, services] = await Promise.all([
    port === null ? null : startSimulator(runtime, { ...simulatorSettings(options), port }),
    startServices(runtime, addresses, (service) => ({
      ...{ ...common, internalUrls, simulatorUrl, given: options.environment },
      overrides: {
        ...(platformBaseUrl === null ? {} : { PLATFORM_BASE_URL: platformBaseUrl }),
        ...options.serviceEnvironment?.[service],
      },
    })),
  ]);
  const [first] = services;
  return {
    gatewayUrl: first?.publicUrl ?? '',
    operatorUrl: first?.url ?? '',
    operatorToken: secrets.operatorToken,
    simulatorUrl,
    kafkaBrokers,
    mongodbUri,
    origin: backends.origin,
    topicPrefix,
    services,
    simulator,
    kafka: backends.kafka,
    mongodb: backends.mongodb,
    databaseOf: (service) => databaseOf(service, databasePrefix),
    stop: (how = 'gracefully') => stages.stop(how === 'abruptly'),
  };
}

function simulatorSettings({ environment, simulator }: StackOptions) {
  return { given: environment, overrides: simulator ?? {} };
}

type OpenBackends = Pick<Stack, 'kafkaBrokers' | 'mongodbUri' | 'origin' | 'kafka' | 'mongodb'>;

/** Both are stopped last; native ones are watched and started again like everything else. */
async function openBackends(
  options: StackOptions,
  folder: LocalDirectory,
  runtime: StackRuntime,
): Promise<OpenBackends> {
  if (options.backends) {
    const origin = { kafka: 'Kafka at the address given', mongodb: 'MongoDB at the address given' };
    return { ...options.backends, origin, kafka: null, mongodb: null };
  }
  const { environment, backendPorts, kafkaSettings, signal } = options;
  const backends = await provisionBackends({
    environment,
    dataDir: folder.dataDir,
    onProgress: (sentence) => runtime.report({ tone: 'step', sentence }),
    ...(backendPorts ? { ports: backendPorts } : {}),
    ...(kafkaSettings ? { kafkaSettings } : {}),
    ...(signal ? { signal } : {}),
  });
  runtime.stages.add(() => backends.stop());
  runtime.stages.nextStage();
  const [kafka, mongodb] = await Promise.all([
    superviseBackend('Kafka', backends.kafka, runtime),
    superviseBackend('MongoDB', backends.mongodb, runtime),
  ]);
  const { kafkaBrokers, mongodbUri, origin } = backends;
  return { kafkaBrokers, mongodbUri, origin, kafka, mongodb };
}

async function superviseBackend(
  label: string,
  server: Backends['kafka'],
  { report, onReplaced, stages }: StackRuntime,
): Promise<StackPart | null> {
  if (server === null) return null;
  const launch = () => launchBackend(server);
  const { part, process } = supervisePart({ label, launch, logFile: null, report, onReplaced });
  stages.add(async (abruptly) => {
    await process.stop(abruptly);
    report({ tone: 'step', sentence: `${label} stopped.` });
  });
  await process.start();
  return part;
}

async function createTopics(
  environment: Environment,
  topicPrefix: string,
  { report }: StackRuntime,
): Promise<void> {
  const created = await ensureTopics({
    ...kafkaAccess(readSettings(kafkaSettings, environment)),
    partitions,
    replicationFactor: 1,
    topicPrefix,
    logger: createLogger({ service: 'local-stack', level: 'silent' }),
  });
  if (created.length === 0) return;
  report({ tone: 'step', sentence: `${created.length} Kafka topics were created.` });
}

/** Logs of this start only, and never without bound. */
function keepLogs(addresses: readonly ServiceAddress[], { logsDir, stages }: StackRuntime): void {
  const labels = ['simulator', ...addresses.map(({ label }) => label)];
  const paths = labels.map((label) => logPath(logsDir, label));
  for (const path of paths) rotateLog(path);
  const bounding = setInterval(() => {
    for (const path of paths) boundLog(path);
  }, boundLogsEveryMs);
  stages.add(async () => clearInterval(bounding));
}
