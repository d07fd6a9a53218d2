import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { provideCached } from './cache-directory.ts';
import { explainFailure } from './command-failure.ts';
import type { Environment } from './environment.ts';
import { kafkaPom } from './kafka-pom.ts';
import { ProvisionError } from './provision-error.ts';
import { runCommand } from './run-command.ts';
import { serverVersions } from './server-versions.ts';

export interface KafkaJarsOptions {
  readonly cacheDir: string;
  readonly environment: Environment;
  readonly onProgress: (sentence: string) => void;
  readonly signal: AbortSignal | undefined;
}

const downloadDeadlineMs = 15 * 60_000;
const spaceNeededMiB = 300;
const mavenFix =
  'Install Maven (for example `apt-get install maven` or `brew install maven`), or give the address of a running Kafka in KAFKA_BROKERS.';

/** The folder with the broker's jars, fetched from Maven Central when the cache lacks them. */
export async function provideKafkaJars(options: KafkaJarsOptions): Promise<string> {
  const pom = kafkaPom(serverVersions.kafka, serverVersions.log4j);
  const fingerprint = createHash('sha256').update(pom).digest('hex').slice(0, 8);
  const folder = await provideCached({
    cacheDir: options.cacheDir,
    name: `kafka-${serverVersions.kafka}-${fingerprint}`,
    spaceNeededMiB,
    onProgress: options.onProgress,
    signal: options.signal,
    make: (partial) => fetchJars(partial, pom, options),
  });
  return join(folder, 'jars');
}

async function fetchJars(folder: string, pom: string, options: KafkaJarsOptions): Promise<void> {
  options.onProgress(`Fetching Kafka ${serverVersions.kafka} with Maven (44 MB, once).`);
  writeFileSync(join(folder, 'pom.xml'), pom);
  const jars = join(folder, 'jars');
  const result = await runCommand({
    command: 'mvn',
    args: [
      '--quiet',
      '--batch-mode',
      '--strict-checksums',
      '--file',
      join(folder, 'pom.xml'),
      'dependency:copy-dependencies',
      '-DincludeScope=runtime',
      `-DoutputDirectory=${jars}`,
    ],
    environment: options.environment,
    cwd: folder,
    deadlineMs: downloadDeadlineMs,
    signal: options.signal,
  });
  if (result.kind === 'missing') {
    throw new ProvisionError(
      `Kafka's files are fetched with Maven, and \`mvn\` is not installed. ${mavenFix}`,
    );
  }
  const failure = explainFailure('Maven', result);
  if (failure !== null) throw new ProvisionError(`Kafka could not be fetched: ${failure}`);
  if (!existsSync(join(jars, `kafka_2.13-${serverVersions.kafka}.jar`))) {
    throw new ProvisionError('Maven ended well but fetched no Kafka: look at ~/.m2/settings.xml.');
  }
}
