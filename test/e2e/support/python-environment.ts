import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { machineEnvironment } from '../../support/start-command.ts';

const run = promisify(execFile);
const installMs = 120_000;

/**
 * Exactly these packages, fetched once for each list of them. Resolves with their folder, which is
 * a PYTHONPATH; rejects where they cannot be fetched.
 */
export async function providePythonPackages(
  name: string,
  packages: readonly string[],
): Promise<string> {
  const env = machineEnvironment();
  const cache = env['INVENTORY_CACHE_DIR'] ?? join(homedir(), '.cache/game-item-inventory');
  const versions = packages.map((one) => one.replace(/[^a-z0-9.]+/gi, '-')).join('_');
  const folder = join(cache, `python-${name}-${versions}`);
  const fetched = join(folder, 'packages');
  if (!existsSync(fetched)) {
    mkdirSync(cache, { recursive: true });
    const making = mkdtempSync(join(cache, `python-${name}-`));
    try {
      const target = ['--target', join(making, 'packages')];
      const quiet = ['--quiet', '--disable-pip-version-check', '--no-input'];
      await run('python3', ['-m', 'pip', 'install', ...quiet, ...target, ...packages], {
        env,
        timeout: installMs,
      });
      renameSync(making, folder);
    } catch (error) {
      // Another test may have made it at the same time.
      rmSync(making, { recursive: true, force: true });
      if (!existsSync(fetched)) throw error;
    }
  }
  return fetched;
}
