import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { provideDebianPackage } from './debian-package.ts';

export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

/**
 * The programs of Prometheus: those on the PATH, else those of Debian's package. Null where neither
 * is available: the reason is printed, and the tests that need them are reported as skipped.
 */
export function providePrometheus(): PrometheusPrograms | null {
  try {
    return installed() ?? programsIn(join(provideDebianPackage('prometheus'), 'usr/bin'));
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
