import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from './environment.ts';
import { outputOf } from './run-command.ts';
import { SetupError } from './setup-error.ts';

const javaMajorMin = 17;
const timeoutMs = 20_000;
const hint =
  'Install a Java runtime of version 17 or later (for example `apt-get install openjdk-17-jre-headless` or `brew install openjdk@21`), or give the address of a running Kafka in KAFKA_BROKERS.';

/** The `java` command that runs a broker. */
export async function findJava(
  environment: Environment,
  signal: AbortSignal | undefined,
): Promise<string> {
  const home = environment['JAVA_HOME'];
  const ofHome = home ? join(home, 'bin', 'java') : null;
  const command = ofHome !== null && existsSync(ofHome) ? ofHome : 'java';
  const output = await outputOf({ command, args: ['-version'], environment, timeoutMs, signal });
  if (output === null) {
    throw new SetupError('Kafka needs Java, and no working `java` was found.', hint);
  }
  const major = javaMajor(output);
  if (major !== null && major < javaMajorMin) {
    throw new SetupError(
      `Kafka needs Java ${javaMajorMin}; \`${command}\` is Java ${major}.`,
      hint,
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
