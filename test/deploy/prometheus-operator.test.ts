import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@inventory/contracts/topics';
import { parse } from 'yaml';
import { root } from '../tidy/tracked-files.ts';
import { find, readRendered } from './support/read-rendered.ts';

const read = (path: string) => parse(readFileSync(join(root, path), 'utf8'));
const production = readRendered('production');
const component = 'deploy/kubernetes/components/prometheus-operator';

test('the Prometheus operator is given the rules that Compose has', () => {
  const { kind, spec } = read(`${component}/rules.yaml`);

  expect(kind).toBe('PrometheusRule');
  expect(spec.groups).toEqual(read('deploy/compose/rules/game-item-inventory.yaml').groups);
});

test('the public host is probed under the job that the alert of it names', () => {
  const { spec } = find(production, 'Probe', 'public-api');

  expect([spec.jobName, spec.module]).toEqual(['public-api', 'http_2xx']);
  const [host] = find(production, 'HTTPRoute', 'public').spec.hostnames;
  expect(spec.targets.staticConfig.static).toEqual([`https://${host}/openapi.json`]);
});

test('what is scraped is labelled as the rules and dashboards expect, gateways of both roles alike', () => {
  const [{ path, relabelings }] = find(production, 'PodMonitor', 'game-item-inventory').spec
    .podMetricsEndpoints;
  const [service, instance] = relabelings;

  expect(path).toBe('/metrics');
  expect(instance).toEqual({
    sourceLabels: ['__meta_kubernetes_pod_name'],
    targetLabel: 'instance',
  });
  expect(service).toMatchObject({
    sourceLabels: ['__meta_kubernetes_pod_label_app_kubernetes_io_name'],
    targetLabel: 'service',
  });
  const anchored = new RegExp(`^${service.regex}$`);
  const labelled = ['gateway-events', ...serviceNames].map((name) =>
    name.replace(anchored, service.replacement),
  );
  expect(labelled).toEqual(['gateway', ...serviceNames]);
});

test('every link to a runbook leads to where the installation has them', () => {
  const text = JSON.stringify(find(production, 'PrometheusRule', 'game-item-inventory').spec);
  const links = [...text.matchAll(/"runbook_url":"([^"]*)"/g)].map(([, link]) => link);

  expect(links.length).toBeGreaterThan(40);
  expect(links.filter((link) => !link?.startsWith('https://runbooks.example/'))).toEqual([]);
});
