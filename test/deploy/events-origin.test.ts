import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { root, trackedFiles } from '../tidy/tracked-files.ts';
import { find, podOf, type Resource } from './support/read-rendered.ts';

const { combinations } = require('../../scripts/kubernetes/combinations.js') as {
  combinations: () => readonly { readonly name: string; readonly values: object }[];
};
const { overlayFiles } = require('../../scripts/kubernetes/production-overlay.js') as {
  overlayFiles: (values: object, place: object) => Readonly<Record<string, string>>;
};

const folder = join(root, 'deploy/kubernetes/components/events-origin');
const read = (file: string, from = folder): Resource[] =>
  parseAllDocuments(readFileSync(join(from, file), 'utf8')).map((document) => document.toJS());
const [component] = read('kustomization.yaml') as unknown as {
  readonly resources: readonly string[];
  readonly patches: readonly { readonly patch: string }[];
}[];
const resources = (component?.resources ?? []).flatMap((file) => read(file));
const deployment = find(resources, 'Deployment', 'gateway-events');
const name = 'app.kubernetes.io/name';

test('the pods of the event stream are those of the gateway, in the role events (Stream origin)', () => {
  const [container] = podOf(deployment).containers;
  const base = read('gateway.yaml', join(root, 'deploy/kubernetes/base'));
  const [gateway] = podOf(find(base, 'Deployment', 'gateway')).containers;
  const { env, ...rest } = container;
  const [role, ...others] = env ?? [];

  expect({ ...rest, env: others }).toEqual(gateway);
  expect(role).toEqual({ name: 'GATEWAY_ROLE', value: 'events' });
  expect(deployment.spec).not.toHaveProperty('replicas');
});

test('the other gateways take the role api and state the host of the event stream (Stream origin)', () => {
  const { values } = combinations().find((one) => one.name.includes('events')) ?? {};
  const files = overlayFiles(values ?? {}, { from: '..', source: '' });
  const { configMapGenerator, patches } = parse(files['kustomization.yaml'] ?? '');
  const { literals } = configMapGenerator.find((one: { name: string }) => one.name === 'gateway');

  expect(component?.patches[0]?.patch).toContain('value: { name: GATEWAY_ROLE, value: api }');
  expect(literals).toContain('EVENTS_ORIGIN=https://events.filled.test');
  const hosts = patches.filter(({ target, patch }: { target: { name: string }; patch: string }) => {
    return target.name === 'events' && patch.includes('value: events.filled.test');
  });
  expect(hosts.map(({ target }: { target: { kind: string } }) => target.kind)).toEqual([
    'Gateway',
    'HTTPRoute',
  ]);
});

test('its host leads to the event stream alone, without a time limit (Stream origin)', () => {
  const { rules } = find(resources, 'HTTPRoute', 'events').spec;

  expect(rules).toEqual([
    {
      matches: [{ path: { type: 'RegularExpression', value: '/v2/projects/[^/]+/events/stream' } }],
      timeouts: { request: '0s', backendRequest: '0s' },
      backendRefs: [{ name: 'gateway-events', port: 8080 }],
    },
  ]);
  const { selector, ports } = find(resources, 'Service', 'gateway-events').spec;
  expect(deployment.spec.template.metadata.labels).toMatchObject(selector);
  expect(ports).toEqual([{ name: 'public', port: 8080, targetPort: 'public' }]);
});

test('it is scaled by the streams that a replica holds, below the most that it takes', () => {
  const { scaleTargetRef, metrics } = find(
    resources,
    'HorizontalPodAutoscaler',
    'gateway-events',
  ).spec;
  const [{ pods }] = metrics;
  const sources = trackedFiles(/^services\/gateway\/src\/streams\/stream-metrics\.ts$/).map(
    ({ text }) => text,
  );

  expect(scaleTargetRef.name).toBe('gateway-events');
  expect(sources.join()).toContain(
    `'${pods.metric.name.replace(/^inventory_gateway_/, 'inventory.gateway.')}'`,
  );
  expect(Number(pods.target.averageValue)).toBeLessThan(12_000);
});

test('it is reached by the proxies in front alone, and calls the event-stream alone', () => {
  const policies = resources.filter(({ kind }) => kind === 'NetworkPolicy');
  const own = policies.filter(
    ({ spec }) => spec.podSelector.matchLabels[name] === 'gateway-events',
  );

  expect(own.flatMap(({ spec }) => spec.ingress ?? [])).toEqual([
    {
      from: [
        {
          namespaceSelector: {
            matchLabels: { 'kubernetes.io/metadata.name': 'envoy-gateway-system' },
          },
        },
      ],
      ports: [{ protocol: 'TCP', port: 8080 }],
    },
  ]);
  const [outgoing, ...more] = own.flatMap(({ spec }) => spec.egress ?? []);
  expect(more).toEqual([]);
  expect(outgoing).toEqual({
    to: [{ podSelector: { matchLabels: { [name]: 'event-stream' } } }],
    ports: [{ protocol: 'TCP', port: 8081 }],
  });
});
