import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cacheDirectory, provideCached } from '@inventory/backends/cache-directory';
import { machineEnvironment } from './start-command.ts';

const version = 'v1.11.7';

/**
 * The program that compares OpenAPI documents, compiled once from Go's module proxy. Null where that is
 * not available: the reason is printed.
 */
export async function provideOasdiff(): Promise<string | null> {
  const environment = machineEnvironment();
  try {
    const folder = await provideCached({
      cacheDir: cacheDirectory(environment),
      name: `oasdiff-${version}`,
      spaceNeededMiB: 500,
      async make(target) {
        process.stderr.write('Compiling oasdiff (once).\n');
        const install = ['install', `github.com/oasdiff/oasdiff@${version}`];
        const env = { ...environment, GOBIN: target };
        const { status, stderr, error } = spawnSync('go', install, { env, encoding: 'utf8' });
        if (status !== 0) throw error ?? new Error(stderr);
      },
    });
    return join(folder, 'oasdiff');
  } catch (error) {
    process.stderr.write(`SKIPPED: the OpenAPI document was not compared. ${error}\n`);
    return null;
  }
}
