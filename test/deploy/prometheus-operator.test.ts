import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@inventory/contracts/topics';
import { parse } from 'yaml';
import { root } from '../tidy/tracked-files.ts';
import { readRendered } from './support/read-rendered.ts';

const read = (path: string) => parse(readFileSync(join(root, path), 'utf8'));
const component = 'deploy/kubernetes/components/prometheus-operator';

test('the Prometheus operator is given the rules that Compose has', () => {
  const { kind, spec } = read(`${component}/rules.yaml`);

  expect(kind).toBe('PrometheusRule');
  expect(spec.groups).toEqual(read('deploy/compose/rules/game-item-inventory.yaml').groups);
});

test('the public host is probed under the job that the alert of it names', () => {
  const { kind, spec } = read(`${component}/probe.yaml`);
  const route = readRendered('production').find(({ kind: of }) => of === 'HTTPRoute');

  expect([kind, spec.jobName, spec.module]).toEqual(['Probe', 'public-api', 'http_2xx']);
  const [host] = route?.spec.hostnames ?? [];
  expect(spec.targets.staticConfig.static).toEqual([`https://${host}/openapi.json`]);
});

test('every replica of every service is scraped, labelled as the rules and dashboards expect', () => {
  const { spec } = read(`${component}/pod-monitor.yaml`);
  const [{ port, path, relabelings }] = spec.podMetricsEndpoints;
  const [{ key, operator, values }] = spec.selector.matchExpressions;

  expect({ key, operator }).toEqual({ key: 'app.kubernetes.io/name', operator: 'In' });
  expect(values.toSorted()).toEqual([...serviceNames].toSorted());
  expect(path).toBe('/metrics');
  for (const { kind, spec: of } of readRendered('production')) {
    if (kind !== 'Deployment') continue;
    const { labels } = of.template.metadata;
    const [{ ports }] = of.template.spec.containers;
    expect(values).toContain(labels[key]);
    expect(ports).toContainEqual({ name: port, containerPort: 8081 });
  }
  expect(relabelings).toEqual([
    {
      sourceLabels: ['__meta_kubernetes_pod_label_app_kubernetes_io_name'],
      targetLabel: 'service',
    },
    { sourceLabels: ['__meta_kubernetes_pod_name'], targetLabel: 'instance' },
  ]);
});
