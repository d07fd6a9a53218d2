import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { cacheDirectory } from '@inventory/backends/cache-directory';
import { machineEnvironment } from './start-command.ts';

export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

const downloadMs = 120_000;

/**
 * The programs of Prometheus: those on the PATH, else those of Debian's package, fetched once by apt
 * and unpacked into the cache. Null where neither is available: the reason is printed, and the tests
 * that need them are reported as skipped.
 */
export function providePrometheus(): PrometheusPrograms | null {
  try {
    return installed() ?? fetched();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(
      `SKIPPED: rules, alerts and dashboards were not tested on Prometheus.\n${reason}\n` +
        'Put `prometheus` and `promtool` on the PATH (Debian: apt-get install prometheus).\n',
    );
    return null;
  }
}

function installed(): PrometheusPrograms | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const folder = folders.find(
    (one) => existsSync(join(one, 'prometheus')) && existsSync(join(one, 'promtool')),
  );
  return folder === undefined ? null : programsIn(folder);
}

const programsIn = (folder: string): PrometheusPrograms => ({
  prometheus: join(folder, 'prometheus'),
  promtool: join(folder, 'promtool'),
});

function fetched(): PrometheusPrograms {
  const cache = cacheDirectory(machineEnvironment());
  mkdirSync(cache, { recursive: true });
  const [, packed = ''] = /\s(prometheus_\S+\.deb)\s/.exec(apt(cache, '--print-uris')) ?? [];
  if (packed === '') throw new Error('apt-get has no package named prometheus.');
  const folder = join(cache, packed.replace(/\.deb$/, '').replaceAll(/[^\w.-]+/g, '-'));
  if (!existsSync(folder)) fetchInto(cache, folder);
  return programsIn(join(folder, 'usr/bin'));
}

/** The directory appears whole or not at all; another process may make it at the same time. */
function fetchInto(cache: string, folder: string): void {
  const making = mkdtempSync(join(cache, 'prometheus-making-'));
  try {
    process.stderr.write('Fetching Prometheus with apt-get (20 MB, once).\n');
    apt(making);
    const [packed = ''] = readdirSync(making);
    run('dpkg-deb', ['-x', packed, 'unpacked'], making);
    renameSync(join(making, 'unpacked'), folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

function apt(folder: string, ...options: string[]): string {
  return run('apt-get', ['download', '--quiet', ...options, 'prometheus'], folder);
}

function run(command: string, args: readonly string[], cwd: string): string {
  const env = machineEnvironment();
  const ended = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: downloadMs });
  if (ended.error) throw new Error(`${command}: ${ended.error.message}`);
  if (ended.status !== 0) throw new Error(`${command} failed:\n${ended.stderr.slice(-2_000)}`);
  return ended.stdout;
}
