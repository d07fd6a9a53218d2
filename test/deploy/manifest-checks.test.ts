import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { timingOf } from '../../libs/messaging/src/kafka/timing.ts';
import { root, trackedFiles } from '../tidy/tracked-files.ts';
import { find, overlays, type Resource, readRendered } from './support/read-rendered.ts';

type Check = (resources: readonly Resource[]) => readonly string[];
const { checkPods } = require('../../scripts/kubernetes/check-pods.js') as { checkPods: Check };
const { checkTimeouts } = require('../../scripts/kubernetes/check-timeouts.js') as {
  checkTimeouts: Check;
};
const { foreignNames } = require('../../scripts/kubernetes/foreign-names.js') as {
  foreignNames: Check;
};
const { combinations } = require('../../scripts/kubernetes/combinations.js') as {
  combinations: () => readonly { readonly values: object }[];
};
const { overlayFiles } = require('../../scripts/kubernetes/production-overlay.js') as {
  overlayFiles: (values: object, place: object) => Readonly<Record<string, string>>;
};

const production = readRendered('production');
const checked: Check = (resources) => [...checkPods(resources), ...checkTimeouts(resources)];
type Fault = (resources: Resource[]) => Resource[];
const without =
  (kind: string, name: string): Fault =>
  (resources) =>
    resources.filter((one) => one.kind !== kind || one.metadata.name !== name);
const changed =
  (kind: string, name: string, change: (resource: Resource) => void): Fault =>
  (resources) => {
    change(find(resources, kind, name));
    return resources;
  };
const ofPods = (name: string, change: (template: Resource['spec']) => void): Fault =>
  changed('Deployment', name, ({ spec }) => change(spec.template));

test.each(overlays)(
  'every pod of %s is reached by what it needs, and cut by no time limit',
  (overlay) => {
    expect(checked(readRendered(overlay))).toEqual([]);
  },
);

const faults: readonly [string, Fault][] = [
  [
    'Deployment revision-store reaches no backend at 9092',
    ofPods('revision-store', ({ metadata }) => delete metadata.labels['app.kubernetes.io/part-of']),
  ],
  [
    'Deployment event-stream is not reached by Prometheus',
    ofPods('event-stream', ({ metadata }) => delete metadata.labels['app.kubernetes.io/part-of']),
  ],
  ['no policy denies by default', without('NetworkPolicy', 'default-deny')],
  ['Job topics resolves no name', without('NetworkPolicy', 'names')],
  [
    'CronJob ledger-verify reaches no backend at 27017',
    without('NetworkPolicy', 'to-kafka-and-mongodb'),
  ],
  [
    'Deployment gateway may not call Deployment billing-ledger',
    without('NetworkPolicy', 'from-gateway'),
  ],
  [
    'Deployment billing-ledger may not be called by Deployment refresh-collector',
    without('NetworkPolicy', 'to-billing-ledger'),
  ],
  ['Deployment event-stream: GATEWAY_URL leads to no pod', without('Service', 'gateway-private')],
  ['Deployment gateway is not reached by the proxies', without('NetworkPolicy', 'public')],
  [
    'Deployment gateway reaches no collector of traces',
    changed('NetworkPolicy', 'observed', ({ spec }) => {
      spec.egress[0].ports[0].port = 4317;
    }),
  ],
  [
    'the policy from-event-stream is of no pod',
    changed('NetworkPolicy', 'from-event-stream', ({ spec }) => {
      spec.podSelector.matchLabels = { 'app.kubernetes.io/name': 'event-streams' };
    }),
  ],
  ['Deployment gateway has 0 disruption budgets', without('PodDisruptionBudget', 'gateway')],
  [
    'Deployment billing-ledger has 0 autoscalers',
    without('HorizontalPodAutoscaler', 'billing-ledger'),
  ],
  [
    'Deployment gateway is not monitored',
    changed('PodMonitor', 'game-item-inventory', ({ spec }) =>
      spec.selector.matchExpressions[0].values.shift(),
    ),
  ],
  [
    'HTTPRoute public cuts /v2/platform/users/1/inventory/1/2/current/export at 480s (request)',
    changed('HTTPRoute', 'public', ({ spec }) => {
      spec.rules[1].timeouts.request = '480s';
    }),
  ],
  [
    'HTTPRoute public cuts /v2/projects/prj_1/events/stream at 15m (backendRequest)',
    changed('HTTPRoute', 'public', ({ spec }) => {
      spec.rules[0].timeouts.backendRequest = '15m';
    }),
  ],
  [
    'Deployment refresh-collector is killed before STOP_DEADLINE_MS',
    ofPods('refresh-collector', ({ spec }) => {
      spec.terminationGracePeriodSeconds = 50;
    }),
  ],
  [
    'Deployment gateway is killed while it waits for its topics',
    ofPods('gateway', ({ spec }) => {
      const { topicsTimeoutMs } = timingOf();
      const { startupProbe } = spec.containers[0];
      startupProbe.failureThreshold = (topicsTimeoutMs / 1_000 + 20) / startupProbe.periodSeconds;
    }),
  ],
];

test.each(faults)('the checks of all combinations find: %s', (problem, plant) => {
  const resources = plant(structuredClone(production) as Resource[]);

  expect(checked(resources)).toContain(problem);
});

test('a name of what is outside is found wherever it stands, unless it is the cluster’s', () => {
  const settings = { 'of.example:6379': 'cache.example:6379', LIST: 'a.example:1,b.example:2' };
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: settings };
  const resources = readRendered('local').filter(({ kind }) => kind !== 'Namespace');
  const before = foreignNames(resources);

  const found = foreignNames([...resources, { ...map, spec: { url: 'https://c.example' } }]);

  expect(before).not.toContain('kube-system');
  expect(found.filter((name) => !before.includes(name))).toEqual([
    'cache.example',
    'a.example',
    'b.example',
    'c.example',
  ]);
});

test('every component is in a combination, and every overlay is rendered', () => {
  const files = combinations().map(({ values }) =>
    overlayFiles(values, { from: '..', source: '' }),
  );
  const used = files.flatMap((one) => one['kustomization.yaml']?.match(/(?<=components\/)[\w-]+/g));
  const folder = join(root, 'deploy/kubernetes');
  expect([...new Set(used)].toSorted()).toEqual(readdirSync(join(folder, 'components')).toSorted());
  expect(trackedFiles(/^deploy\/kubernetes\/rendered\//).map(({ path }) => path)).toEqual(
    readdirSync(join(folder, 'overlays')).map((name) => `deploy/kubernetes/rendered/${name}.yaml`),
  );
});
