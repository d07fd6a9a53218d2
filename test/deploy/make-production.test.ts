import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { root } from '../tidy/tracked-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: the values are changed at any path.
type Values = any;
const { combinations, rendered } = require('../../scripts/kubernetes/combinations.js') as {
  combinations: () => readonly { readonly name: string; readonly values: Values }[];
  rendered: readonly string[];
};
const { findProblems } = require('../../scripts/kubernetes/values.js') as {
  findProblems: (values: Values) => readonly string[];
};
const { overlayFiles } = require('../../scripts/kubernetes/production-overlay.js') as {
  overlayFiles: (values: Values, place: object) => Readonly<Record<string, string>>;
};

const folder = mkdtempSync(join(tmpdir(), 'make-production-'));
afterAll(() => rmSync(folder, { recursive: true }));
const example = join(root, 'deploy/kubernetes/overlays/production/values.yaml');
const filled = (name: string): Values =>
  structuredClone(combinations().find((one) => one.name === name)?.values);
const everything = 'gateway-api+cpu+keda+events+secured+operator+sandbox';

function makeProduction(...given: readonly string[]) {
  const script = join(root, 'scripts/make-production.js');
  return spawnSync(process.execPath, [script, ...given], { encoding: 'utf8' });
}

/** Paths of all leaves; a list is one. */
function leavesOf(value: Values, path = ''): string[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([key, inner]) =>
    leavesOf(inner, path === '' ? key : `${path}.${key}`),
  );
}

test('--check names every value of the example that is still to be replaced, and nothing is written of them', () => {
  const { status, stderr } = makeProduction('--values', example, '--check');
  const named = [...stderr.matchAll(/^([\w.]+): is still that of the example$/gm)].map(
    ([, path]) => path,
  );

  expect(status).toBe(1);
  const values = parse(readFileSync(example, 'utf8'));
  const held = leavesOf(values).filter((path) => {
    const text = JSON.stringify(path.split('.').reduce((inner, key) => inner[key], values));
    return /example|192\.0\.2\./.test(text);
  });
  expect(named).toEqual(held);
  expect(held.length).toBeGreaterThan(15);
  const out = join(folder, 'of-the-example');
  expect(makeProduction('--values', example, '--out', out).status).toBe(1);
});

test('complete values are an overlay wherever it is written, with no name of the example', () => {
  const file = join(folder, 'values.yaml');
  writeFileSync(file, stringify(filled(everything)));
  expect(makeProduction('--values', file, '--check')).toMatchObject({ status: 0, stderr: '' });

  const out = join(folder, 'overlay');
  const { stdout } = makeProduction('--values', file, '--out', out);

  expect(stdout).toContain('public-tls, events-tls');
  const text = readFileSync(join(out, 'kustomization.yaml'), 'utf8');
  const { resources } = parse(text);
  expect(readFileSync(join(out, resources[0], 'kustomization.yaml'), 'utf8')).toContain('settings');
  expect(text + readFileSync(join(out, resources[1]), 'utf8')).not.toMatch(/\bexample\b|192\.0\.2/);
  for (const value of rendered.filter((one) => !one.startsWith('https://runbooks')))
    expect(text + readFileSync(join(out, 'resources.yaml'), 'utf8')).toContain(value);
});

const malformed: readonly [string, (values: Values) => void][] = [
  ['public_host: must be a host name', (values) => (values.public_host = 'https://a.test')],
  ['images.registry: is missing', (values) => delete values.images.registry],
  ['images.tag: must be a tag, in quotes where it is a number', ({ images }) => (images.tag = 1.2)],
  ['platform_url: must be an http or https address', (values) => (values.platform_url = 'a.test')],
  ['proxies.kind: must be gateway-api or ingress', ({ proxies }) => (proxies.kind = 'nginx')],
  ['proxies.networks: must be a list', ({ proxies }) => (proxies.networks = '10.0.0.0/8')],
  [
    'proxies.networks: must be a network such as 10.1.0.0/16',
    ({ proxies }) => (proxies.networks = ['10.0.0.1']),
  ],
  [
    'kafka.networks: must be a network such as 10.1.0.0/16',
    ({ kafka }) => (kafka.networks = ['10.0.0.0/33']),
  ],
  ['kafka.brokers: must be host:port', ({ kafka }) => (kafka.brokers = ['a.test'])],
  ["kafka.ports: have no 19093, which is a broker's", ({ kafka }) => (kafka.ports = [19_092])],
  [
    'mongodb.ports: must be a port or a range such as 1024-65535',
    ({ mongodb }) => (mongodb.ports = ['any']),
  ],
  [
    'mongodb.uri: must be a connection string with {user} and {password}',
    ({ mongodb }) => (mongodb.uri = 'mongodb://a.test/'),
  ],
  ['scaling.prometheus_url: is missing', ({ scaling }) => (scaling.prometheus_url = null)],
  ['observability.blackbox: is missing', ({ observability }) => delete observability.blackbox],
  [
    'observability.runbooks: must be host/path',
    ({ observability }) => (observability.runbooks = 'https://a.test'),
  ],
  ['events_host: needs proxies.kind gateway-api', ({ proxies }) => (proxies.kind = 'ingress')],
  ['sandbox: must be true or false', (values) => (values.sandbox = 'yes')],
  ['kafka.broker: there is no such value', ({ kafka }) => (kafka.broker = 'a.test:9092')],
];

test.each(malformed)('--check reports: %s', (problem, change) => {
  const values = filled(everything);
  change(values);

  expect(findProblems(values)).toEqual([problem]);
});

test('a value that is not in use need not be given', () => {
  const values = filled('ingress+cpu+hpa');
  delete values.scaling.prometheus_url;
  delete values.observability.blackbox;
  delete values.observability.runbooks;
  delete values.kafka.ca_file;

  expect(findProblems(values)).toEqual([]);
});

test('where Node trusts the authorities no file of theirs is named, and rights are the owner’s where they are', () => {
  const values = filled(everything);
  Object.assign(values.kafka, { ca_file: null, topics_job_grants_rights: false });
  values.mongodb.ca_file = null;
  const files = overlayFiles(values, { from: '..', source: '' });

  const literals = files['kustomization.yaml']
    ?.match(/^ +- [A-Z_]+=$/gm)
    ?.map((line) => line.trim());
  expect(literals).toEqual([
    '- KAFKA_TLS_CA_FILE=',
    '- ACL_PRINCIPALS=',
    '- KAFKA_TLS_CA_FILE=',
    '- MONGODB_TLS_CA_FILE=',
  ]);
});
