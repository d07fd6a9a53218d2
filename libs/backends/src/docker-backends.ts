import { pause } from '@inventory/runtime/wait';
import { findFreePort } from './free-port.ts';
import { assertKafkaReady } from './kafka-probe.ts';
import { replicaSetName } from './mongod.ts';
import { ensurePrimary, singleNodeUri } from './mongodb-probe.ts';
import type { OnProgress } from './progress.ts';
import { serverVersions } from './server-versions.ts';
import { messageOf, SetupError } from './setup-error.ts';
import type { StartedBackend } from './started-backend.ts';

export interface ContainerStart {
  /** Null: any free port. */
  readonly port: number | null;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal | undefined;
}

const kafkaPort = 9092;
const mongodbPort = 27_017;
const probeTimeoutMs = 5_000;
const startupTimeoutMs = 180_000;
const readyTriesMax = 300;
const readyPauseMs = 200;

/**
 * Kafka in a container of the image that docker-compose.yml names. The host port is fixed before
 * the start, because the broker advertises it.
 *
 * NOTE: written against the documentation; not run, because there was no daemon.
 */
export async function startKafkaContainer(start: ContainerStart): Promise<StartedBackend> {
  const { GenericContainer, getContainerRuntimeClient } = await import('testcontainers');
  const image = serverVersions.kafkaImage;
  return withHint(image, start, async () => {
    const { host } = (await getContainerRuntimeClient()).info.containerRuntime;
    const port = start.port ?? (await findFreePort());
    const container = await new GenericContainer(image)
      .withExposedPorts({ container: kafkaPort, host: port })
      .withEnvironment(kafkaEnvironment(`${host}:${port}`))
      .withStartupTimeout(startupTimeoutMs)
      .start();
    const address = `${host}:${port}`;
    await untilReady(start.signal, () => assertKafkaReady({ brokers: [address] }));
    return {
      address,
      origin: `Apache Kafka ${serverVersions.kafka}, container of ${image}`,
      process: null,
      stop: async () => void (await container.stop()),
    };
  });
}

/**
 * MongoDB in a container, as a replica set of one.
 *
 * NOTE: written against the documentation; not run, because there was no daemon.
 */
export async function startMongodbContainer(start: ContainerStart): Promise<StartedBackend> {
  const { GenericContainer } = await import('testcontainers');
  const image = serverVersions.mongodbImage;
  return withHint(image, start, async () => {
    const container = await new GenericContainer(image)
      .withExposedPorts(
        start.port === null ? mongodbPort : { container: mongodbPort, host: start.port },
      )
      .withCommand(['mongod', '--replSet', replicaSetName, '--bind_ip_all'])
      .withStartupTimeout(startupTimeoutMs)
      .start();
    const uri = singleNodeUri(container.getHost(), container.getMappedPort(mongodbPort));
    const set = {
      name: replicaSetName,
      host: `localhost:${mongodbPort}`,
      timeoutMs: probeTimeoutMs,
    };
    await untilReady(start.signal, () => ensurePrimary(uri, set));
    return {
      address: uri,
      origin: `MongoDB, container of ${image}`,
      process: null,
      stop: async () => void (await container.stop()),
    };
  });
}

function kafkaEnvironment(advertised: string): Record<string, string> {
  return {
    KAFKA_NODE_ID: '1',
    KAFKA_PROCESS_ROLES: 'broker,controller',
    KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
    KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
    KAFKA_LISTENERS: `PLAINTEXT://0.0.0.0:${kafkaPort},CONTROLLER://localhost:9093`,
    KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${advertised}`,
    KAFKA_INTER_BROKER_LISTENER_NAME: 'PLAINTEXT',
    KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
    KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
    KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
    KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
    KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: '1',
    KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR: '1',
    KAFKA_OFFSETS_RETENTION_MINUTES: String(30 * 24 * 60),
    KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
  };
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

async function withHint(
  image: string,
  start: ContainerStart,
  run: () => Promise<StartedBackend>,
): Promise<StartedBackend> {
  start.onProgress(
    `A container of ${image} is starting (its image is fetched when it is missing).`,
    'step',
  );
  try {
    return await run();
  } catch (error) {
    start.signal?.throwIfAborted();
    throw new SetupError(
      `Docker answered, but no container of ${image} could be run: ${messageOf(error)}.`,
      'Set INVENTORY_DOCKER=never to use native processes instead.',
    );
  }
}
