import { pause } from '@inventory/runtime/wait';
import type { GenericContainer, StartedTestContainer } from 'testcontainers';
import { findFreePort } from './free-port.ts';
import { assertKafkaReady } from './kafka-probe.ts';
import { brokerSettings, type KafkaSettings } from './kafka-properties.ts';
import { mongodArgs, replicaSetName } from './mongod.ts';
import { ensurePrimary, singleNodeUri } from './mongodb-probe.ts';
import type { OnProgress } from './progress.ts';
import { serverVersions } from './server-versions.ts';
import { messageOf, SetupError } from './setup-error.ts';
import type { StartedBackend } from './started-backend.ts';

export interface ContainerStart {
  /** Null: any free port. */
  readonly port: number | null;
  /** Keeps the data; null: they are removed with the container. */
  readonly volume: string | null;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal | undefined;
}

/** A server in a container: where it is once its container runs, and how to see that it is ready. */
interface ContainerServer {
  readonly title: string;
  readonly dataPath: string;
  readonly configured: (container: GenericContainer) => GenericContainer;
  readonly addressOf: (started: StartedTestContainer) => string;
  readonly probe: (address: string) => Promise<void>;
}

const kafkaPort = 9092;
const kafkaDataPath = '/var/lib/kafka/data';
const mongodbPort = 27_017;
const mongodbDataPath = '/data/db';
const probeTimeoutMs = 5_000;
const startupTimeoutMs = 180_000;
const stopTimeoutMs = 30_000;
const readyTriesMax = 300;
const readyPauseMs = 200;

/** Kafka of the image that docker-compose.yml names, with the settings of a native one. */
export async function startKafkaContainer(
  start: ContainerStart & { readonly settings: KafkaSettings },
): Promise<StartedBackend> {
  return startContainer(start, serverVersions.kafkaImage, async () => {
    const { getContainerRuntimeClient } = await import('testcontainers');
    const { host } = (await getContainerRuntimeClient()).info.containerRuntime;
    // Fixed before the start, because the broker advertises it.
    const port = start.port ?? (await findFreePort());
    const address = `${host}:${port}`;
    return {
      title: `Apache Kafka ${serverVersions.kafka}`,
      dataPath: kafkaDataPath,
      configured: (container) =>
        container
          .withExposedPorts({ container: kafkaPort, host: port })
          .withEnvironment(kafkaEnvironment(address, start.settings)),
      addressOf: () => address,
      probe: () => assertKafkaReady({ brokers: [address] }),
    };
  });
}

/** MongoDB in a container, as a replica set of one. */
export async function startMongodbContainer(start: ContainerStart): Promise<StartedBackend> {
  const host = `localhost:${mongodbPort}`;
  const set = { name: replicaSetName, host, timeoutMs: probeTimeoutMs };
  return startContainer(start, serverVersions.mongodbImage, async () => ({
    title: 'MongoDB',
    dataPath: mongodbDataPath,
    configured: (container) =>
      container
        .withExposedPorts(
          start.port === null ? mongodbPort : { container: mongodbPort, host: start.port },
        )
        .withCommand(['mongod', ...mongodArgs, '--bind_ip_all']),
    addressOf: (started) => singleNodeUri(started.getHost(), started.getMappedPort(mongodbPort)),
    probe: (uri) => ensurePrimary(uri, set),
  }));
}

function kafkaEnvironment(advertised: string, given: KafkaSettings): Record<string, string> {
  const settings = brokerSettings(
    { broker: kafkaPort, controller: kafkaPort + 1 },
    {
      listeners: `PLAINTEXT://0.0.0.0:${kafkaPort},CONTROLLER://127.0.0.1:${kafkaPort + 1}`,
      'advertised.listeners': `PLAINTEXT://${advertised}`,
      'log.dirs': kafkaDataPath,
      ...given,
    },
  );
  const variables = Object.entries(settings).map(([name, value]) => [
    `KAFKA_${name.replaceAll('.', '_').toUpperCase()}`,
    String(value),
  ]);
  return { KAFKA_HEAP_OPTS: '-Xmx512m', ...Object.fromEntries(variables) };
}

/** Rejects with a SetupError, and leaves no container then. */
async function startContainer(
  { volume, onProgress, signal }: ContainerStart,
  image: string,
  describe: () => Promise<ContainerServer>,
): Promise<StartedBackend> {
  onProgress(
    `A container of ${image} is starting (its image is fetched when it is missing).`,
    'step',
  );
  try {
    const { GenericContainer } = await import('testcontainers');
    const server = await describe();
    const container = server.configured(new GenericContainer(image));
    if (volume !== null) container.withBindMounts([{ source: volume, target: server.dataPath }]);
    const started = await container.withStartupTimeout(startupTimeoutMs).start();
    const stop = async (): Promise<void> => {
      await started.stop({ timeout: volume === null ? 0 : stopTimeoutMs });
    };
    const address = server.addressOf(started);
    try {
      await untilReady(signal, () => server.probe(address));
    } catch (error) {
      await stop();
      throw error;
    }
    return { address, origin: `${server.title}, container of ${image}`, process: null, stop };
  } catch (error) {
    signal?.throwIfAborted();
    throw new SetupError(
      `Docker responded, but no container of ${image} could be run: ${messageOf(error)}.`,
      'Set INVENTORY_DOCKER=never to use native processes instead.',
    );
  }
}

async function untilReady(
  signal: AbortSignal | undefined,
  ready: () => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    signal?.throwIfAborted();
    try {
      return await ready();
    } catch (error) {
      if (tries >= readyTriesMax) throw error;
    }
    await pause(readyPauseMs, signal);
  }
}
