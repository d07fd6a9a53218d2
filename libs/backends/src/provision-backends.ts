import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import type { MongodbAccess } from '@inventory/runtime/mongodb-access';
import { claimVolume, isInFiles, isInVolumes } from './container-data.ts';
import { type DataDirectory, openDataDirectory } from './data-directory.ts';
import { startKafkaContainer, startMongodbContainer } from './docker-backends.ts';
import type { Environment } from './environment.ts';
import { assertKafkaReady } from './kafka-probe.ts';
import type { KafkaSettings } from './kafka-properties.ts';
import type { ManagedProcess } from './managed-process.ts';
import { mongodbVersion } from './mongodb-probe.ts';
import { startNativeKafka } from './native-kafka.ts';
import { startNativeMongodb } from './native-mongodb.ts';
import type { OnProgress } from './progress.ts';
import {
  type ProvisionDefaults,
  type ProvisionSettings,
  readProvisionSettings,
} from './provision-settings.ts';
import { outputOf } from './run-command.ts';
import { messageOf, SetupError } from './setup-error.ts';
import type { NativeStart, StartedBackend } from './started-backend.ts';

const dockerTimeoutMs = 4_000;
const configuredTimeoutMs = 10_000;

export interface ProvisionOptions extends ProvisionDefaults {
  /** Read for addresses and settings, and passed to the programs that are run. */
  readonly environment: Environment;
  /** Where servers keep their data. Without it: nowhere; `stop` removes them. */
  readonly dataDir?: string;
  /** Of a Kafka started here, over the defaults. */
  readonly kafkaSettings?: KafkaSettings;
  /** Of a native Kafka without data: passwords of SCRAM users, by name. */
  readonly kafkaUsers?: Readonly<Record<string, string>>;
  readonly onProgress?: OnProgress;
  /** Aborted: everything that was started ends, and the promise rejects. */
  readonly signal?: AbortSignal;
}

/** A Kafka and a MongoDB that are ready. */
export interface Backends {
  /** `host:port`, several separated by commas. */
  readonly kafkaBrokers: string;
  readonly mongodbUri: string;
  /** For the screen: which servers these are. */
  readonly origin: { readonly kafka: string; readonly mongodb: string };
  /** Null when it is not a native process. */
  readonly kafka: ManagedProcess | null;
  readonly mongodb: ManagedProcess | null;
  /** Ends what was started here; servers given by address keep running. */
  stop(): Promise<void>;
}

/**
 * Finds or starts Kafka and MongoDB: addresses given, else a Docker daemon, else native processes.
 * Processes started here end with this process, however it ends. Rejects with a {@link SetupError}.
 */
export async function provisionBackends(options: ProvisionOptions): Promise<Backends> {
  const { environment, signal } = options;
  const settings = readProvisionSettings(environment, options);
  const needsServer = settings.kafka === null || settings.mongodb === null;
  const directory = needsServer ? await openDataDirectory(options.dataDir) : null;
  const isContainer =
    directory !== null && (await usesContainers(directory, settings.mayUseDocker, options));
  const failed = new AbortController();
  const around = {
    dataDir: directory?.path ?? '',
    isTemporary: directory?.isTemporary ?? false,
    cacheDir: settings.cacheDir,
    environment,
    onProgress: options.onProgress ?? (() => {}),
    signal: AbortSignal.any([failed.signal, ...(signal ? [signal] : [])]),
  };
  const starting = [
    startKafka(options, settings, isContainer, { ...around, port: settings.kafkaPort }),
    startMongodb(settings, isContainer, { ...around, port: settings.mongodbPort }),
  ] as const;
  // The failure of one aborts the other, which may be downloading for minutes.
  for (const one of starting) one.catch((error: unknown) => failed.abort(error));
  const results = await Promise.allSettled(starting);
  const stop = stopperOf(results, directory);
  const [kafka, mongodb] = results;
  if (kafka.status === 'fulfilled' && mongodb.status === 'fulfilled') {
    return {
      kafkaBrokers: kafka.value.address,
      mongodbUri: mongodb.value.address,
      origin: { kafka: kafka.value.origin, mongodb: mongodb.value.origin },
      kafka: kafka.value.process,
      mongodb: mongodb.value.process,
      stop,
    };
  }
  await stop();
  signal?.throwIfAborted();
  // The first failure is the reason of the abort.
  throw failed.signal.reason;
}

/** Data are opened only by what wrote them: native servers, or containers with their volumes. */
async function usesContainers(
  directory: DataDirectory,
  mayUseDocker: boolean,
  { environment, signal }: ProvisionOptions,
): Promise<boolean> {
  if (isInFiles(directory.path)) return false;
  try {
    if (mayUseDocker && (await isDockerAvailable(environment, signal))) return true;
    if (!isInVolumes(directory.path)) return false;
    throw new SetupError(
      `The data in ${directory.path} are in Docker volumes, which need a Docker daemon that responds.`,
      'Start Docker (without INVENTORY_DOCKER=never), or use another directory.',
    );
  } catch (error) {
    directory.release();
    throw error;
  }
}

function volumeOf({ dataDir, isTemporary }: NativeStart, server: 'kafka' | 'mongodb') {
  return isTemporary ? null : claimVolume(dataDir, server);
}

function startKafka(
  { kafkaSettings = {}, kafkaUsers = {} }: ProvisionOptions,
  settings: ProvisionSettings,
  isContainer: boolean,
  start: NativeStart,
): Promise<StartedBackend> {
  if (settings.kafka !== null) return useConfiguredKafka(settings.kafka);
  if (isContainer) {
    const volume = volumeOf(start, 'kafka');
    return startKafkaContainer({ ...start, volume, settings: kafkaSettings });
  }
  return startNativeKafka({ ...start, settings: kafkaSettings, users: kafkaUsers });
}

function startMongodb(
  settings: ProvisionSettings,
  isContainer: boolean,
  start: NativeStart,
): Promise<StartedBackend> {
  if (settings.mongodb !== null) return useConfiguredMongodb(settings.mongodb);
  if (!isContainer) return startNativeMongodb(start);
  return startMongodbContainer({ ...start, volume: volumeOf(start, 'mongodb') });
}

/** Stops both even when one fails to stop, then releases the directory. A second call waits. */
function stopperOf(
  results: readonly PromiseSettledResult<StartedBackend>[],
  directory: DataDirectory | null,
): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  const stopAll = async (): Promise<void> => {
    const started = results.filter((result) => result.status === 'fulfilled');
    const stopped = await Promise.allSettled(started.map((result) => result.value.stop()));
    directory?.release();
    const failure = stopped.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  };
  return () => {
    stopping ??= stopAll();
    return stopping;
  };
}

/**
 * Whether a Docker daemon responds at DOCKER_HOST or the chosen context. An installed client alone
 * prints an empty version and fails.
 */
async function isDockerAvailable(
  environment: Environment,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const args = ['version', '--format', '{{.Server.Version}}'];
  const output = await outputOf({
    command: 'docker',
    args,
    environment,
    timeoutMs: dockerTimeoutMs,
    signal,
  });
  return output !== null && /^\d+\./.test(output.trim());
}

const notOurs = { process: null, stop: async (): Promise<void> => {} };

/** The Kafka at KAFKA_BROKERS. Rejects when none of its brokers responds. */
async function useConfiguredKafka(access: KafkaAccess): Promise<StartedBackend> {
  const problems: string[] = [];
  for (const broker of access.brokers) {
    try {
      await assertKafkaReady({ ...access, brokers: [broker] });
      const origin = 'Kafka at the address in KAFKA_BROKERS';
      return { address: access.brokers.join(','), origin, ...notOurs };
    } catch (error) {
      problems.push(`${broker}: ${messageOf(error)}`);
    }
  }
  throw new SetupError(
    `No broker of KAFKA_BROKERS responds: ${problems.join('; ')}.`,
    'Start it, correct the address, or unset KAFKA_BROKERS to start one here.',
  );
}

/** The MongoDB at MONGODB_URI, which is never repeated: it may hold a password. */
async function useConfiguredMongodb({ uri, tls }: MongodbAccess): Promise<StartedBackend> {
  try {
    const origin = `${await mongodbVersion(uri, configuredTimeoutMs, tls)} at the address in MONGODB_URI`;
    return { address: uri, origin, ...notOurs };
  } catch (error) {
    throw new SetupError(
      `The server of MONGODB_URI does not respond: ${messageOf(error)}.`,
      'Start it, correct the address, or unset MONGODB_URI to start one here.',
    );
  }
}
