import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireSuccess } from './command-failure.ts';
import { findFreePort } from './free-port.ts';
import { findJava } from './java.ts';
import { provideKafkaJars } from './kafka-jars.ts';
import { assertKafkaReady } from './kafka-probe.ts';
import { type KafkaSettings, kafkaLogSettings, kafkaProperties } from './kafka-properties.ts';
import { startNativeServer } from './native-server.ts';
import { serverVersions } from './server-versions.ts';
import type { NativeStart, StartedBackend } from './started-backend.ts';

const formatTimeoutMs = 60_000;

export interface NativeKafkaStart extends NativeStart {
  /** Broker settings over the defaults. */
  readonly settings: KafkaSettings;
  /** Passwords by user name; set when the data directory is formatted. */
  readonly users: Readonly<Record<string, string>>;
}

/** Apache Kafka as one broker and controller in a Java process with 512 MiB of heap. */
export async function startNativeKafka(start: NativeKafkaStart): Promise<StartedBackend> {
  const java = await findJava(start.environment, start.signal);
  const jars = await provideKafkaJars(start);
  const directory = join(start.dataDir, 'kafka');
  const port = start.port ?? (await findFreePort());
  const ports = { broker: port, controller: await findFreePort() };
  const jvmArgs = [
    '-Xmx512m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-XX:+ExitOnOutOfMemoryError',
    '-Dlog4j2.configurationFile=log4j2.properties',
    '-classpath',
    join(jars, '*'),
  ];
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'log4j2.properties'), kafkaLogSettings);
  writeFileSync(join(directory, 'server.properties'), kafkaProperties(ports, start.settings));
  await formatOnce({ java, jvmArgs, directory, start });
  const address = `127.0.0.1:${port}`;
  return startNativeServer(
    {
      name: 'Kafka',
      title: `Apache Kafka ${serverVersions.kafka}`,
      directory,
      command: java,
      args: [...jvmArgs, 'kafka.Kafka', 'server.properties'],
      port,
      portSetting: 'KAFKA_PORT',
      address,
      probe: () => assertKafkaReady({ brokers: [address] }),
    },
    start,
  );
}

/** A directory whose formatting was interrupted has no meta.properties and holds no data yet. */
async function formatOnce(options: {
  readonly java: string;
  readonly jvmArgs: readonly string[];
  readonly directory: string;
  readonly start: NativeKafkaStart;
}): Promise<void> {
  const data = join(options.directory, 'data');
  if (existsSync(join(data, 'meta.properties'))) return;
  rmSync(data, { recursive: true, force: true });
  await requireSuccess('Formatting the data directory of Kafka', {
    command: options.java,
    args: [
      ...options.jvmArgs,
      'kafka.tools.StorageTool',
      'format',
      `--cluster-id=${newClusterId()}`,
      '--config',
      'server.properties',
      ...Object.entries(options.start.users).flatMap(scramCredentials),
    ],
    environment: options.start.environment,
    cwd: options.directory,
    timeoutMs: formatTimeoutMs,
    signal: options.start.signal,
  });
}

/** Of both strengths: the client chooses. */
function scramCredentials([name, password]: [string, string]): string[] {
  return ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${name},password=${password}]`,
  ]);
}

/** 16 random bytes in Kafka's form; never a leading dash, which reads like an option. */
function newClusterId(): string {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? `A${id.slice(1)}` : id;
}
