import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { root } from '../tidy/tracked-files.ts';
import { configOf, unknownSettings } from './support/known-settings.ts';
import {
  type Container,
  environmentOf,
  find,
  podOf,
  type Resource,
  readRendered,
} from './support/read-rendered.ts';

const component = join(root, 'deploy/kubernetes/components/sandbox');
const base = join(root, 'deploy/kubernetes/base');
const read = (folder: string, file: string): Resource[] =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => document.toJS());
const [kustomization] = read(component, 'kustomization.yaml') as unknown as {
  readonly resources: readonly string[];
  readonly configMapGenerator: readonly { readonly literals: readonly string[] }[];
}[];
const resources = (kustomization?.resources ?? []).flatMap((file) => read(component, file));
const name = 'sandbox-refresh-collector';
const containerIn = (from: readonly Resource[], kind: string, of: string): Container =>
  podOf(find(from, kind, of)).containers[0];
const own = containerIn(resources, 'Deployment', name);
/** With the ConfigMaps of the live collector. */
const rendered = (container: Container) =>
  environmentOf(readRendered('production'), container, {
    MONGODB_URI: 'mongodb://database.example/',
    SERVICE_TOKEN: 'a-service-token-of-16',
    SERVICE_CALLERS: `gateway:${'a'.repeat(64)}`,
  });

test('the collector of the sandbox is a refresh-collector of its environment, with a platform, identities and a database of its own (Sandbox) [sandbox]', async () => {
  const { KAFKA_TLS: _, ...environment } = rendered(own);
  const secured = /^(KAFKA|MONGODB)_(TLS|SASL)/;
  const open = Object.fromEntries(
    Object.entries(environment).filter(([setting]) => !secured.test(setting)),
  );
  const live = rendered(
    containerIn(read(base, 'refresh-collector.yaml'), 'Deployment', 'refresh-collector'),
  );

  expect(await unknownSettings('refresh-collector', open)).toEqual([]);
  const config = (await configOf('refresh-collector')).loadConfig(open);
  expect(config).toMatchObject({ environment: 'sandbox' });
  // A collector reads so many old holds at once, of both environments.
  expect(Number(open['OUTSTANDING_MAX'])).toBeLessThan(1_000);
  const { hostname } = new URL(open['PLATFORM_BASE_URL'] ?? '');
  expect(find(resources, 'Service', hostname).spec.selector).toEqual({
    'app.kubernetes.io/name': 'sandbox-platform',
  });
  for (const proxy of open['PLATFORM_EGRESS']?.split(',') ?? [])
    expect(new URL(proxy).hostname).toBe(hostname);
  expect(open['MONGODB_DATABASE']).not.toBe(live['MONGODB_DATABASE']);
  expect(own.env?.find((one) => one.name === 'MONGODB_URI')?.valueFrom?.secretKeyRef.name).toBe(
    name,
  );
});

test('its pod is that of the refresh-collector but for its settings and size, and its indexes are prepared by the same settings (Sandbox)', () => {
  const alike = ({ env, resources: size, ...rest }: Container) => rest;
  const prepared = containerIn(resources, 'Job', 'sandbox-indexes');

  expect(alike(own)).toEqual(
    alike(containerIn(read(base, 'refresh-collector.yaml'), 'Deployment', 'refresh-collector')),
  );
  const { image, envFrom, env } = own;
  const command = ['node', 'main.js', '--ensure-indexes'];
  expect(prepared).toMatchObject({ image, envFrom, env, command });
  const of = 'app.kubernetes.io/name';
  for (const kind of ['PodDisruptionBudget', 'Service', 'Deployment']) {
    const { selector } = find(resources, kind, name).spec;
    expect(selector.matchLabels ?? selector).toEqual({ [of]: name });
  }
});

test('it is called by the gateway alone, which has its address, and reaches nothing outside (Sandbox)', () => {
  const policies = resources.filter(({ kind }) => kind === 'NetworkPolicy');

  expect(kustomization?.configMapGenerator[0]?.literals).toEqual([
    `SANDBOX_REFRESH_COLLECTOR_URL=http://${name}:8081`,
  ]);
  expect(JSON.stringify(policies)).not.toMatch(/ipBlock|namespaceSelector/);
  const ofIt = policies.filter(({ spec }) =>
    Object.values(spec.podSelector.matchLabels ?? {}).includes(name),
  );
  const peers = (side: 'ingress' | 'egress', key: 'from' | 'to') =>
    ofIt
      .flatMap(({ spec }) => spec[side] ?? [])
      .flatMap((rule) => rule[key])
      .map(({ podSelector }) => podSelector.matchLabels['app.kubernetes.io/name']);
  expect(peers('ingress', 'from')).toEqual(['gateway']);
  expect(peers('egress', 'to')).toEqual(['billing-ledger', 'revision-store', 'sandbox-platform']);
});
