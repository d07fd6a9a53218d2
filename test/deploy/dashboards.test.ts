import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../tidy/tracked-files.ts';

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly {
    readonly refId: string;
    readonly datasource: { uid: string };
    readonly expr: string;
    readonly exemplar?: boolean;
  }[];
}

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any member.
const readYaml = (path: string): any => parse(readFileSync(join(root, path), 'utf8'));
const folder = 'deploy/compose/grafana/dashboards';
const dashboards = readdirSync(join(root, folder)).map(
  (file) => JSON.parse(readFileSync(join(root, folder, file), 'utf8')) as Dashboard,
);
const shown = ({ panels }: Dashboard) => panels.filter(({ type }) => type !== 'row');

test('every panel has a description, and queries the Prometheus that the reader chose', () => {
  for (const dashboard of dashboards) {
    const panels = shown(dashboard);
    const titles = panels.map(({ title }) => title);
    expect(titles).toEqual([...new Set(titles)]);
    expect(dashboard.templating.list.map(({ name }) => name)).toContain('datasource');
    for (const { description, datasource, targets = [] } of panels) {
      expect(description).toMatch(/\S{3}.*\.$/);
      expect(targets.length).toBeGreaterThan(0);
      const asked = [datasource, ...targets.map((target) => target.datasource)];
      for (const source of asked) expect(source).toMatchObject({ uid: '$datasource' });
    }
  }
});

test('a point of a span opens its trace in the Jaeger that is provisioned', () => {
  const { datasources } = readYaml(
    'deploy/compose/grafana/provisioning/datasources/datasources.yaml',
  );
  const [prometheus] = datasources.filter(({ type }: { type: string }) => type === 'prometheus');
  const collector = readYaml('deploy/compose/otel-collector.yaml');
  const queries = dashboards.flatMap(shown).flatMap(({ targets = [] }) => targets);

  expect(prometheus.jsonData.exemplarTraceIdDestinations).toEqual([
    { name: 'trace_id', datasourceUid: 'jaeger' },
  ]);
  expect(datasources.map(({ uid }: { uid: string }) => uid)).toContain('jaeger');
  expect(collector.connectors.spanmetrics.exemplars.enabled).toBe(true);
  expect(collector.exporters.prometheus.enable_open_metrics).toBe(true);
  const leading = queries.filter(({ exemplar }) => exemplar);
  expect(leading.length).toBeGreaterThan(0);
  // Only buckets and counters have exemplars.
  for (const { expr } of leading) expect(expr).toMatch(/_(duration_seconds_bucket|calls_total)[{]/);
});
