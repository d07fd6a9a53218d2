import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames } from '@inventory/contracts/topics';
import { root } from '../tidy/tracked-files.ts';
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
const uri = 'mongodb://{user}:{password}@database.example/';

function makeSecrets(...more: readonly string[]) {
  const script = join(root, 'scripts/make-secrets.js');
  const given = ['--out', out, '--mongodb-uri', uri, '--operator', 'alice', ...more];
  const env = { PLATFORM_EGRESS: 'http://user:password@proxy.example:3128' };
  return spawnSync(process.execPath, [script, ...given], { encoding: 'utf8', env });
}

const first = makeSecrets('--kafka-ca', authority, '--mongodb-ca', authority);
const { items } = JSON.parse(readFileSync(out, 'utf8')) as { items: readonly MadeSecret[] };
const made = new Map(items.map(({ metadata, stringData }) => [metadata.name, stringData]));

/** Secrets that pods of the overlay refer to, with the keys of the required ones. */
function referredTo(): { name: string; key: string | null }[] {
  const pods = production.filter(({ kind }) => /^(Deployment|Job|CronJob)$/.test(kind)).map(podOf);
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
  const wanted = referredTo();
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
  expect(makeSecrets().status).toBe(2);
  expect(readFileSync(out, 'utf8')).toBe(before);
});

test('the script prints the operator’s token and the users to create, and refuses a URI without them', () => {
  expect(first.stdout).toMatch(/^operator alice, token: [\w-]{43}$/m);
  const mongodb = /inventory-gateway:([\w-]{43})@/.exec(made.get('gateway')?.['MONGODB_URI'] ?? '');
  expect(first.stdout).toContain(`  inventory-gateway ${mongodb?.[1]}\n`);
  expect(first.stdout).toContain(`  inventory-admin ${made.get('kafka-admin')?.['password']}\n`);
  expect(makeSecrets('--mongodb-uri', 'mongodb://database.example/').stderr).toContain('{user}');
});
