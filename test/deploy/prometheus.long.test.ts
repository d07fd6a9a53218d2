import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { root } from '../tidy/tracked-files.ts';
import { dashboardQueries } from './support/dashboard-queries.ts';
import { minutesOfDay, ordinaryDay } from './support/ordinary-day.ts';
import { plantedFaults, plantedFromTheStart } from './support/planted-faults.ts';
import { healthy, type Series, unused } from './support/planted-series.ts';
import { onPrometheus, promtool, type Story, tryStories } from './support/promtool.ts';
import { rareMetrics, rareSeries } from './support/rare-series.ts';
import { rulesFile } from './support/rules.ts';

const firing = 'ALERTS{alertstate="firing"}';

/** One world of series, and which alerts fire in it at its end, or by what is `asked`. */
function story(
  name: string,
  minutes: number,
  world: Series,
  fires: readonly string[],
  asked = firing,
): Story {
  return {
    name,
    interval: '1m',
    input_series: Object.entries(world).map(([series, values]) => ({
      series,
      values: values(minutes),
    })),
    promql_expr_test: [
      {
        expr: `group by (alertname) (${asked})`,
        eval_time: `${minutes}m`,
        exp_samples: fires.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  };
}

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

onPrometheus(
  'no alert fires on an ordinary day, nor on one without any customer',
  () => {
    const atAnyTime = `max_over_time(${firing}[1d])`;
    tryStories([
      story('an ordinary day', minutesOfDay, ordinaryDay, [], atAnyTime),
      story('a day without customers', minutesOfDay, unused, [], atAnyTime),
    ]);
  },
  60_000,
);

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

onPrometheus(
  'each fault makes its alert fire in an installation that never worked',
  () => {
    const stories = plantedFromTheStart.map(({ fires, afterMinutes, instead }) => {
      const asked = `ALERTS{alertstate="firing",alertname="${fires}"}`;
      return story(
        `${fires}, never worked`,
        afterMinutes,
        { ...unused, ...instead },
        [fires],
        asked,
      );
    });
    tryStories(stories);
  },
  60_000,
);

onPrometheus('what is seen only when something goes wrong is shown when it does', () => {
  const rare = dashboardQueries('5m').filter(({ expr }) =>
    rareMetrics.some((metric) => expr.includes(metric)),
  );
  const shownSomewhere = rareMetrics.filter((metric) =>
    rare.some(({ expr }) => expr.includes(metric)),
  );
  expect(shownSomewhere).toEqual(rareMetrics);

  tryStories([
    {
      name: 'everything that is rare',
      interval: '1m',
      input_series: rareSeries.map((series) => ({ series, values: '0+5x10' })),
      promql_expr_test: rare.map(({ expr }) => ({
        expr: `count(${expr}) > bool 0`,
        eval_time: '10m',
        exp_samples: [{ labels: '{}', value: 1 }],
      })),
    },
  ]);
});
