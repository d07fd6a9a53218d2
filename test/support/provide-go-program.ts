import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cacheDirectory, provideCached } from '@inventory/backends/cache-directory';
import { machineEnvironment } from './start-command.ts';

export interface GoProgram {
  readonly name: string;
  /** With its version, as `go install` takes it. */
  readonly package: string;
  /** What a test leaves out without it. */
  readonly otherwise: string;
}

/**
 * The path of a program that is compiled once from Go's module proxy. Null where that is not available:
 * the reason is printed.
 */
export async function provideGoProgram(program: GoProgram): Promise<string | null> {
  const environment = machineEnvironment();
  const { name } = program;
  try {
    const folder = await provideCached({
      cacheDir: cacheDirectory(environment),
      name: `${name}-${program.package.split('@').at(-1)}`,
      spaceNeededMiB: 500,
      async make(target) {
        process.stderr.write(`Compiling ${name} (once).\n`);
        const install = ['install', program.package];
        const env = { ...environment, GOBIN: target };
        const { status, stderr, error } = spawnSync('go', install, { env, encoding: 'utf8' });
        if (status !== 0) throw error ?? new Error(stderr);
      },
    });
    return join(folder, name);
  } catch (error) {
    process.stderr.write(`SKIPPED: ${program.otherwise}. ${error}\n`);
    return null;
  }
}
