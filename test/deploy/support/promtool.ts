import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { providePrometheus } from '../../support/provide-prometheus.ts';
import { rulesFile } from './rules.ts';

const programs = providePrometheus();
/** Reported as skipped where Prometheus is not to be had; the reason is printed. */
export const onPrometheus = programs ? test : test.skip;

/** Throws what it printed when it fails. */
export function promtool(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(programs?.promtool ?? '', args, {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
  return stdout;
}

/** One of promtool's unit tests: series with their values, and what a query then gives. */
export interface Story {
  readonly name: string;
  readonly interval: '1m';
  readonly input_series: readonly { readonly series: string; readonly values: string }[];
  readonly promql_expr_test: readonly {
    readonly expr: string;
    readonly eval_time: string;
    readonly exp_samples: readonly { readonly labels: string; readonly value: number }[];
  }[];
}

/** Throws when a story does not end as it states. */
export function tryStories(tests: readonly Story[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'promtool-'));
  try {
    const file = join(folder, 'stories.yaml');
    // As seldom as alerts allow for: each evaluation of all rules takes its time.
    const stories = { rule_files: [rulesFile], evaluation_interval: '5m', tests };
    writeFileSync(file, stringify(stories, { lineWidth: 0 }));
    promtool('test', 'rules', file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
