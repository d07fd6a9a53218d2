import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from './free-port.ts';
import { findJava } from './java.ts';
import { provideKafkaJars } from './kafka-jars.ts';
import { askKafka } from './kafka-probe.ts';
import {
  type KafkaPorts,
  type KafkaSettings,
  kafkaLogSettings,
  kafkaProperties,
} from './kafka-properties.ts';
import { NativeServer, PortTaken } from './native-server.ts';
import { ProvisionError } from './provision-error.ts';
import { runCommand } from './run-command.ts';
import { serverVersions } from './server-versions.ts';
import type { NativeStart, StartedBackend } from './started-backend.ts';

const name = `Kafka ${serverVersions.kafka}`;
const formatDeadlineMs = 60_000;
const probeTimeoutMs = 2_000;
const portTriesMax = 3;

export interface NativeKafkaStart extends NativeStart {
  /** Over our own. */
  readonly settings: KafkaSettings;
  /** Passwords by name, of a folder without data. */
  readonly users: Readonly<Record<string, string>>;
}

/** Apache Kafka as one broker and controller in a Java process of 512 MiB heap. */
export async function startNativeKafka(start: NativeKafkaStart): Promise<StartedBackend> {
  const java = await findJava(start.environment, start.signal);
  const jars = await provideKafkaJars(start);
  const folder = join(start.dataFolder, 'kafka');
  mkdirSync(folder, { recursive: true });
  const jvmArgs = [
    '-Xmx512m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-XX:+ExitOnOutOfMemoryError',
    '-Dlog4j2.configurationFile=log4j2.properties',
    '-classpath',
    join(jars, '*'),
  ];
  const { server, port } = await startOnPorts(start, async (ports) => {
    writeFileSync(join(folder, 'log4j2.properties'), kafkaLogSettings);
    writeFileSync(join(folder, 'server.properties'), kafkaProperties(ports, start.settings));
    await formatOnce({ java, jvmArgs, folder, start });
    return new NativeServer({
      name,
      folder,
      command: java,
      args: [...jvmArgs, 'kafka.Kafka', 'server.properties'],
      environment: start.environment,
      port: ports.broker,
      portSetting: 'KAFKA_PORT',
      ready: () => assertServing(`127.0.0.1:${ports.broker}`),
      temporary: start.temporary,
      onProgress: start.onProgress,
      signal: start.signal,
    });
  });
  return {
    address: `127.0.0.1:${port}`,
    origin: `Apache ${name}, native process`,
    control: server,
    stop: () => server.stop(),
  };
}

/** Ports picked by us may be taken before the broker binds them: then others are picked. */
async function startOnPorts(
  start: NativeStart,
  prepare: (ports: KafkaPorts) => Promise<NativeServer>,
): Promise<{ server: NativeServer; port: number }> {
  for (let tries = 1; ; tries += 1) {
    const broker = start.port ?? (await findFreePort());
    const server = await prepare({ broker, controller: await findFreePort() });
    try {
      await server.start();
      return { server, port: broker };
    } catch (error) {
      const again = error instanceof PortTaken && start.port === null && tries < portTriesMax;
      if (!again) throw error;
    }
  }
}

/** A folder whose formatting was cut short has no meta.properties and holds nothing yet. */
async function formatOnce(options: {
  readonly java: string;
  readonly jvmArgs: readonly string[];
  readonly folder: string;
  readonly start: NativeKafkaStart;
}): Promise<void> {
  const data = join(options.folder, 'data');
  if (existsSync(join(data, 'meta.properties'))) return;
  rmSync(data, { recursive: true, force: true });
  const result = await runCommand({
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
    cwd: options.folder,
    deadlineMs: formatDeadlineMs,
    signal: options.start.signal,
  });
  if (result.kind === 'ended' && result.code === 0) return;
  const printed = result.kind === 'missing' ? 'Java could not be run' : result.output.slice(-2_000);
  throw new ProvisionError(`The data folder of ${name} could not be prepared: ${printed}`);
}

/** Of both strengths: the one that a client asks for is used. */
function scramCredentials([name, password]: [string, string]): string[] {
  return ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${name},password=${password}]`,
  ]);
}

/** 16 random bytes as Kafka writes them; never a leading dash, which reads like an option. */
function newClusterId(): string {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? `A${id.slice(1)}` : id;
}

/** A starting broker answers for its versions before it serves clients; then it lists itself. */
async function assertServing(address: string): Promise<void> {
  const { brokers } = await askKafka(address, probeTimeoutMs);
  if (brokers === 0) throw new Error('the broker is not serving clients yet');
}
