import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from './environment.ts';
import { ProvisionError } from './provision-error.ts';
import { runCommand } from './run-command.ts';

const javaMajorMin = 17;
const answerDeadlineMs = 20_000;
const fix =
  'Install a Java runtime of version 17 or later (for example `apt-get install openjdk-17-jre-headless` or `brew install openjdk@21`), or give the address of a running Kafka in KAFKA_BROKERS.';

/** The `java` command to run a broker with. */
export async function findJava(
  environment: Environment,
  signal: AbortSignal | undefined,
): Promise<string> {
  const home = environment['JAVA_HOME'];
  const ofHome = home ? join(home, 'bin', 'java') : null;
  const command = ofHome !== null && existsSync(ofHome) ? ofHome : 'java';
  const result = await runCommand({
    command,
    args: ['-version'],
    environment,
    deadlineMs: answerDeadlineMs,
    signal,
  });
  if (result.kind !== 'ended' || result.code !== 0) {
    throw new ProvisionError(`Kafka needs Java, and no working \`java\` was found. ${fix}`);
  }
  const major = javaMajor(result.output);
  if (major !== null && major < javaMajorMin) {
    throw new ProvisionError(
      `Kafka needs Java ${javaMajorMin}; \`${command}\` is Java ${major}. ${fix}`,
    );
  }
  return command;
}

/** 17 of `openjdk version "17.0.15"`, 8 of `java version "1.8.0_292"`; null when unreadable. */
export function javaMajor(versionOutput: string): number | null {
  const match = /version "(\d+)(?:\.(\d+))?/.exec(versionOutput);
  if (match === null) return null;
  const [first, second] = [Number(match[1]), match[2]];
  return first === 1 && second !== undefined ? Number(second) : first;
}
