import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { alertRules } from '../../deploy/observability/src/rules/rule-groups.ts';
import { root } from '../tidy/tracked-files.ts';
import { plantedFaults } from './support/planted-faults.ts';
import { healthy, type Series } from './support/planted-series.ts';
import { onPrometheus, promtool, rulesFile, type Story, tryStories } from './support/promtool.ts';

const names = alertRules.map(({ alert }) => alert);

/** One world of series, and which alerts fire in it at its end. */
function story(name: string, minutes: number, world: Series, fires: readonly string[]): Story {
  return {
    name,
    interval: '1m',
    input_series: Object.entries(world).map(([series, values]) => ({
      series,
      values: values(minutes),
    })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: `${minutes}m`,
        exp_samples: fires.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  };
}

test('every alert has its runbook, and every runbook its alert', () => {
  const folder = join(root, 'docs/runbooks');
  const written = readdirSync(folder).filter((name) => name !== 'README.md');

  expect(alertRules.map(({ annotations }) => annotations.runbook).toSorted()).toEqual(
    written.map((name) => `docs/runbooks/${name}`).toSorted(),
  );
  for (const { alert, annotations } of alertRules) {
    expect(readFileSync(join(root, annotations.runbook), 'utf8')).toMatch(
      new RegExp(`^# ${alert}\n`),
    );
  }
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  for (const { alert, labels, annotations } of alertRules) {
    const file = annotations.runbook.split('/').at(-1);
    expect(index).toContain(`| [${alert}](${file}) | ${labels['severity']} |`);
  }
});

test('every alert has a fault that it is shown to fire on', () => {
  const shown = new Set(plantedFaults.map(({ fires: [meant = ''] }) => meant));

  expect([...shown].toSorted()).toEqual(names.toSorted());
});

onPrometheus('Prometheus accepts its configuration, every rule and every template', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-config-'));
  try {
    const config = parse(readFileSync(join(root, 'deploy/compose/prometheus.yaml'), 'utf8'));
    expect(config.rule_files).toEqual(['/etc/prometheus/rules/*.yaml']);
    const here = join(folder, 'prometheus.yaml');
    writeFileSync(here, stringify({ ...config, rule_files: [rulesFile] }));
    expect(promtool('check', 'config', here)).toContain('SUCCESS');
    expect(existsSync(rulesFile)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

onPrometheus('while everything works nobody is told anything', () => {
  tryStories([story('health', 120, healthy, [])]);
});

onPrometheus(
  'each fault makes its own alert fire, and no alert of something else',
  () => {
    const stories = plantedFaults.map(({ fires, afterMinutes, instead }) =>
      story(fires[0] ?? '', afterMinutes, { ...healthy, ...instead }, fires),
    );
    tryStories(stories);
  },
  60_000,
);
