import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDirectory } from '@inventory/backends/cache-directory';
import { machineEnvironment } from './start-command.ts';

const downloadMs = 120_000;

/**
 * The folder of what Debian's package contains, fetched once by apt and unpacked into the cache.
 * Throws where it is not available.
 */
export function provideDebianPackage(name: string): string {
  const cache = cacheDirectory(machineEnvironment());
  mkdirSync(cache, { recursive: true });
  const address = new RegExp(`\\s(${name}_\\S+\\.deb)\\s`);
  const [, packed = ''] = address.exec(apt(name, cache, '--print-uris')) ?? [];
  if (packed === '') throw new Error(`apt-get has no package named ${name}.`);
  const folder = join(cache, packed.replace(/\.deb$/, '').replaceAll(/[^\w.-]+/g, '-'));
  if (!existsSync(folder)) fetchInto(cache, folder, name);
  return folder;
}

/** The directory appears whole or not at all; another process may make it at the same time. */
function fetchInto(cache: string, folder: string, name: string): void {
  const making = mkdtempSync(join(cache, `${name}-making-`));
  try {
    process.stderr.write(`Fetching ${name} with apt-get (once).\n`);
    apt(name, making);
    const [packed = ''] = readdirSync(making);
    run('dpkg-deb', ['-x', packed, 'unpacked'], making);
    renameSync(join(making, 'unpacked'), folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

function apt(name: string, folder: string, ...options: string[]): string {
  return run('apt-get', ['download', '--quiet', ...options, name], folder);
}

function run(command: string, args: readonly string[], cwd: string): string {
  const env = machineEnvironment();
  const ended = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: downloadMs });
  if (ended.error) throw new Error(`${command}: ${ended.error.message}`);
  if (ended.status !== 0) throw new Error(`${command} failed:\n${ended.stderr.slice(-2_000)}`);
  return ended.stdout;
}
