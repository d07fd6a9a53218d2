import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { provideCached } from './cache-directory.ts';
import { explainFailure } from './command-failure.ts';
import { runCommand } from './run-command.ts';
import { serverVersions } from './server-versions.ts';
import { SetupError } from './setup-error.ts';
import type { NativeStart } from './started-backend.ts';

const downloadTimeoutMs = 15 * 60_000;
const spaceNeededMiB = 300;
const mavenHint =
  'Install Maven (for example `apt-get install maven` or `brew install maven`), or give the address of a running Kafka in KAFKA_BROKERS.';

/** The directory of the broker's jars, fetched from Maven Central when the cache lacks them. */
export async function provideKafkaJars(start: NativeStart): Promise<string> {
  const pom = kafkaPom(serverVersions.kafka, serverVersions.log4j);
  const fingerprint = createHash('sha256').update(pom).digest('hex').slice(0, 8);
  const directory = await provideCached({
    cacheDir: start.cacheDir,
    name: `kafka-${serverVersions.kafka}-${fingerprint}`,
    spaceNeededMiB,
    make: (partial) => fetchJars(partial, pom, start),
  });
  return join(directory, 'jars');
}

async function fetchJars(directory: string, pom: string, start: NativeStart): Promise<void> {
  start.onProgress(`Fetching Kafka ${serverVersions.kafka} with Maven (44 MB, once).`, 'step');
  writeFileSync(join(directory, 'pom.xml'), pom);
  const jars = join(directory, 'jars');
  const result = await runCommand({
    command: 'mvn',
    args: [
      '--quiet',
      '--batch-mode',
      '--strict-checksums',
      '--file',
      join(directory, 'pom.xml'),
      'dependency:copy-dependencies',
      '-DincludeScope=runtime',
      `-DoutputDirectory=${jars}`,
    ],
    environment: start.environment,
    cwd: directory,
    timeoutMs: downloadTimeoutMs,
    signal: start.signal,
  });
  if (result.kind === 'missing') {
    throw new SetupError(
      'The files of Kafka are fetched with Maven, and `mvn` is not installed.',
      mavenHint,
    );
  }
  const failure = explainFailure('Maven', result);
  if (failure !== null) throw new SetupError(`Kafka could not be fetched: ${failure}`);
  if (!existsSync(join(jars, `kafka_2.13-${serverVersions.kafka}.jar`))) {
    throw new SetupError('Maven succeeded but fetched no Kafka.', 'Check ~/.m2/settings.xml.');
  }
}
/** What Maven copies: the broker with all it needs, and the binding that makes it write a log. */
function kafkaPom(kafkaVersion: string, log4jVersion: string): string {
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>inventory</groupId>
  <artifactId>kafka-broker</artifactId>
  <version>${kafkaVersion}</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>${kafkaVersion}</version>
    </dependency>
    <dependency>
      <groupId>org.apache.logging.log4j</groupId>
      <artifactId>log4j-slf4j-impl</artifactId>
      <version>${log4jVersion}</version>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-dependency-plugin</artifactId>
        <version>3.8.1</version>
      </plugin>
    </plugins>
  </build>
</project>
`;
}
