import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames } from '@inventory/contracts/topics';
import { parse, stringify } from 'yaml';
import { root, trackedFiles } from '../tidy/tracked-files.ts';
import { configOf, type Settings } from './support/known-settings.ts';
import { makeStandInFiles } from './support/mounted-files.ts';
import {
  type Container,
  environmentOf,
  find,
  podOf,
  type Resource,
  readRendered,
} from './support/read-rendered.ts';

interface MadeSecret {
  readonly metadata: { readonly name: string };
  readonly stringData: Settings;
}

const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
const files = makeStandInFiles();
afterAll(() => {
  files.remove();
  rmSync(folder, { recursive: true });
});

const production = readRendered('production');
const authority = join(folder, 'ca.pem');
writeFileSync(authority, 'an authority\n');
const out = join(folder, 'secrets.json');
const values = parse(
  readFileSync(join(root, 'deploy/kubernetes/overlays/production/values.yaml'), 'utf8'),
);
values.mongodb = { ...values.mongodb, uri: 'mongodb://{user}:{password}@database.example/' };
values.kafka.ca_file = authority;
values.mongodb.ca_file = authority;

function makeSecrets(of: object, ...given: readonly string[]) {
  const file = join(folder, 'values.yaml');
  writeFileSync(file, stringify(of));
  const script = join(root, 'scripts/make-secrets.js');
  const args = [script, '--values', file, '--operator', 'alice', ...given];
  const env = { PLATFORM_EGRESS: 'http://user:password@proxy.example:3128' };
  return spawnSync(process.execPath, args, { encoding: 'utf8', env });
}

const first = makeSecrets(values, '--out', out);
const { items } = JSON.parse(readFileSync(out, 'utf8')) as { items: readonly MadeSecret[] };
const made = new Map(items.map(({ metadata, stringData }) => [metadata.name, stringData]));

/** Secrets that pods refer to, with the keys of the required ones. */
function referredTo(resources: readonly Resource[]): { name: string; key: string | null }[] {
  const pods = resources.filter(({ kind }) => /^(Deployment|Job|CronJob)$/.test(kind)).map(podOf);
  return pods.flatMap(({ containers, volumes = [] }) => [
    ...(containers as Container[]).flatMap(({ env = [] }) =>
      env.flatMap(({ valueFrom }) => {
        const { name, key, optional } = valueFrom?.secretKeyRef ?? { name: '', key: '' };
        return name === '' || optional === true ? [] : [{ name, key }];
      }),
    ),
    ...(volumes as { secret?: { secretName: string } }[]).flatMap(({ secret }) =>
      secret ? [{ name: secret.secretName, key: null }] : [],
    ),
  ]);
}

test('one script makes every Secret that the production overlay refers to, with every key', () => {
  expect(first.stderr).toBe('');
  const wanted = referredTo(production);
  expect(wanted.length).toBeGreaterThan(20);
  expect([...made.keys()].toSorted()).toEqual(
    [...new Set(wanted.map(({ name }) => name))].toSorted(),
  );
  expect(wanted.filter(({ name, key }) => key !== null && !made.get(name)?.[key])).toEqual([]);
  for (const [name, data] of made) {
    if (name.startsWith('kafka-')) expect(Object.keys(data)).toEqual(['ca.crt', 'password']);
  }
  expect(made.get('mongodb-client')).toEqual({ 'ca.crt': 'an authority\n' });
  expect(made.get('refresh-collector')?.['PLATFORM_EGRESS']).toContain('proxy.example');
});

test('docs/operators/rotating-secrets.md restarts what reads a changed Secret, and nothing else', () => {
  const [page] = trackedFiles(/^docs\/operators\/rotating-secrets\.md$/);
  const rows = [...(page?.text ?? '').matchAll(/^\| (`[^|]*`) \| (`kubectl.*`|none: .*) \|$/gm)];
  const restarted = rows.flatMap(([, names = '', command = '']) => {
    const [, chosen] = / -l '?app\.kubernetes\.io\/name(?:=| in \()([a-z, -]+)/.exec(command) ?? [];
    const all = command.endsWith('rollout restart deployment`') ? [...serviceNames] : [];
    // Those of events-origin and sandbox, which read what the gateway and the refresh-collector read.
    const ofComponents = ['gateway-events', 'sandbox-refresh-collector'];
    const services = (chosen?.split(', ') ?? all).filter((name) => !ofComponents.includes(name));
    return names.split(', ').map((name) => [name.replaceAll('`', ''), services.toSorted()]);
  });
  const deployments = production.filter(({ kind }) => kind === 'Deployment');
  const reading = [...made.keys()].map((name) => [
    name,
    deployments
      .filter((deployment) => referredTo([deployment]).some((one) => one.name === name))
      .map(({ metadata }) => metadata.name)
      .toSorted(),
  ]);

  expect(restarted.toSorted()).toEqual(reading.toSorted());
});

test.each(serviceNames)('%s starts with the secrets that the script makes', async (service) => {
  const container = podOf(find(production, 'Deployment', service)).containers[0] as Container;
  const withSecrets: readonly Resource[] = [
    ...production,
    ...items.map(({ metadata, stringData }) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      spec: undefined,
      data: Object.fromEntries(
        Object.entries(stringData).map(([key, text]) => [
          key,
          Buffer.from(text).toString('base64'),
        ]),
      ),
    })),
  ];
  const environment = environmentOf(withSecrets, container, {});
  expect((await configOf(service)).loadConfig(files.standIn(environment))).toBeDefined();
});

test('no two secrets are the same, and a file that is there is never overwritten', () => {
  const values = [...made.values()].flatMap((data) =>
    Object.entries(data).flatMap(([key, text]) => (key === 'ca.crt' ? [] : [text])),
  );
  expect(new Set(values).size).toBe(values.length);
  expect(statSync(out).mode & 0o777).toBe(0o600);
  const before = readFileSync(out, 'utf8');
  expect(makeSecrets(values, '--out', out).status).toBe(2);
  expect(readFileSync(out, 'utf8')).toBe(before);
});

test('the script prints the operator’s token and the commands that create the users', () => {
  expect(first.stdout).toMatch(/^operator alice, token: [\w-]{43}$/m);
  const mongodb = /inventory-gateway:([\w-]{43})@/.exec(made.get('gateway')?.['MONGODB_URI'] ?? '');
  expect(first.stdout).toContain(
    `createUser({ user: 'inventory-gateway', pwd: '${mongodb?.[1]}', roles: [{ role: 'readWrite', db: 'inventory_gateway' }] })`,
  );
  expect(first.stdout).toContain(
    `--entity-name inventory-admin --add-config 'SCRAM-SHA-512=[password=${made.get('kafka-admin')?.['password']}]'`,
  );
});

test('without secured backends there is no Kafka user, and where Node trusts the authorities no file of theirs', () => {
  const open = join(folder, 'open.json');
  const { stdout } = makeSecrets({ ...values, backends_secured: false }, '--out', open);
  expect(stdout).not.toContain('SCRAM');
  expect(readFileSync(open, 'utf8')).not.toMatch(/kafka|mongodb-client/);

  const trusted = join(folder, 'trusted.json');
  const { kafka, mongodb } = values;
  const ofBackends = { kafka: { ...kafka, ca_file: null }, mongodb: { ...mongodb, ca_file: null } };
  makeSecrets({ ...values, ...ofBackends }, '--out', trusted);
  expect(readFileSync(trusted, 'utf8')).not.toContain('ca.crt');
});

test('with a sandbox its collector has a database user of its own, and nothing else of its own (Sandbox)', () => {
  const file = join(folder, 'sandbox.json');
  const { stdout } = makeSecrets({ ...values, sandbox: true }, '--out', file);
  const { items: all } = JSON.parse(readFileSync(file, 'utf8')) as { items: readonly MadeSecret[] };
  const [own, ...more] = all.filter(({ metadata }) => !made.has(metadata.name));

  expect(more).toEqual([]);
  expect(own?.metadata.name).toBe('sandbox-refresh-collector');
  expect(Object.keys(own?.stringData ?? {})).toEqual(['MONGODB_URI']);
  expect(own?.stringData['MONGODB_URI']).toContain('//inventory-sandbox-refresh-collector:');
  expect(stdout).toContain("db: 'inventory_sandbox_refresh_collector' }");
});
