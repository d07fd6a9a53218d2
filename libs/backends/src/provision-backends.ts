import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import type { MongodbAccess } from '@inventory/runtime/mongodb-access';
import { chooseBackends, type Source, wantsDocker } from './choose-backends.ts';
import { useConfiguredKafka, useConfiguredMongodb } from './configured-backends.ts';
import type { Controllable } from './controllable.ts';
import { type DataDirectory, openDataDirectory } from './data-directory.ts';
import { startKafkaContainer, startMongodbContainer } from './docker-backends.ts';
import { dockerAnswers } from './docker-daemon.ts';
import type { Environment } from './environment.ts';
import type { KafkaSettings } from './kafka-properties.ts';
import type { MongodbBuild } from './mongodb-build.ts';
import { type NativeKafkaStart, startNativeKafka } from './native-kafka.ts';
import { startNativeMongodb } from './native-mongodb.ts';
import { type ProvisionWishes, readProvisionSettings } from './provision-settings.ts';
import type { NativeStart, StartedBackend } from './started-backend.ts';

export interface ProvisionOptions extends ProvisionWishes {
  /** Read for addresses and settings, and handed to the programs that are run. */
  readonly environment: Environment;
  /** Where native servers keep their data. Without it: a temporary folder, gone after `stop`. */
  readonly dataDir?: string;
  /** Of a native Kafka, over its own: for tests of what a broker does in time. */
  readonly kafkaSettings?: KafkaSettings;
  /** Of a native Kafka with no data yet: passwords of those who may log in by SCRAM, by name. */
  readonly kafkaUsers?: Readonly<Record<string, string>>;
  /** Told what happens, one sentence at a time. */
  readonly onProgress?: (sentence: string) => void;
  /** Aborted: whatever was begun is undone, and the promise rejects. */
  readonly signal?: AbortSignal;
}

/** A Kafka and a MongoDB that answer. */
export interface Backends {
  /** `host:port`, several separated by commas. */
  readonly kafkaBrokers: string;
  readonly mongodbUri: string;
  /** Which servers these are, in words for people. */
  readonly origin: { readonly kafka: string; readonly mongodb: string };
  /** Null when it is not a native process of this provision. */
  readonly kafka: Controllable | null;
  readonly mongodb: Controllable | null;
  /** Ends what was started; what was given by address goes on. */
  stop(): Promise<void>;
}

/**
 * Finds or starts Kafka and MongoDB: addresses given, else a Docker daemon that answers, else
 * native processes. Processes started here end with this process, however it ends.
 * Rejects with a {@link ProvisionError} whose message says what to do.
 */
export async function provisionBackends(options: ProvisionOptions): Promise<Backends> {
  const settings = readProvisionSettings(options.environment, options);
  const docker =
    wantsDocker(settings) && (await dockerAnswers(options.environment, options.signal));
  const choice = chooseBackends(settings, docker);
  const native = choice.kafka.kind === 'native' || choice.mongodb.kind === 'native';
  const folder = native ? openDataDirectory(options.dataDir) : null;
  const failed = new AbortController();
  const around = {
    dataFolder: folder?.path ?? '',
    temporary: folder?.temporary ?? false,
    cacheDir: settings.cacheDir,
    environment: options.environment,
    onProgress: options.onProgress ?? (() => {}),
    signal: AbortSignal.any([failed.signal, ...(options.signal ? [options.signal] : [])]),
  };
  const starting = [
    startKafka(choice.kafka, {
      ...around,
      port: settings.kafkaPort,
      access: settings.access.kafka,
      settings: options.kafkaSettings ?? {},
      users: options.kafkaUsers ?? {},
    }),
    startMongodb(choice.mongodb, {
      ...around,
      port: settings.mongodbPort,
      access: settings.access.mongodb,
      build: settings.mongodbNative,
    }),
  ] as const;
  // One cannot be had: the other, which may be downloading for minutes, need not go on.
  for (const one of starting) one.catch((error: unknown) => failed.abort(error));
  const results = await Promise.allSettled(starting);
  const stop = stopperOf(results, folder);
  const [kafka, mongodb] = results;
  if (kafka.status === 'fulfilled' && mongodb.status === 'fulfilled') {
    return {
      kafkaBrokers: kafka.value.address,
      mongodbUri: mongodb.value.address,
      origin: { kafka: kafka.value.origin, mongodb: mongodb.value.origin },
      kafka: kafka.value.control,
      mongodb: mongodb.value.control,
      stop,
    };
  }
  await stop();
  options.signal?.throwIfAborted();
  // The first failure is the reason that the other was aborted with.
  throw failed.signal.reason;
}

function startKafka(
  source: Source,
  { access, ...start }: NativeKafkaStart & { readonly access: KafkaAccess | null },
): Promise<StartedBackend> {
  switch (source.kind) {
    case 'address':
      return useConfiguredKafka(access ?? { brokers: source.address.split(',') });
    case 'docker':
      return startKafkaContainer(start);
    case 'native':
      return startNativeKafka(start);
  }
}

interface MongodbStart extends NativeStart {
  readonly access: MongodbAccess | null;
  readonly build: MongodbBuild | null;
}

function startMongodb(source: Source, { access, ...start }: MongodbStart): Promise<StartedBackend> {
  switch (source.kind) {
    case 'address':
      return useConfiguredMongodb(access ?? { uri: source.address });
    case 'docker':
      return startMongodbContainer(start);
    case 'native':
      return startNativeMongodb(start);
  }
}

/** Both are stopped even when one cannot be; the folder goes last. A second call does nothing. */
function stopperOf(
  results: readonly PromiseSettledResult<StartedBackend>[],
  folder: DataDirectory | null,
): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  const stopAll = async (): Promise<void> => {
    const started = results.filter((result) => result.status === 'fulfilled');
    const stopped = await Promise.allSettled(started.map((result) => result.value.stop()));
    folder?.release();
    const failure = stopped.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  };
  return () => {
    stopping ??= stopAll();
    return stopping;
  };
}
