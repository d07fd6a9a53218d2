import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorCodes, rowOf } from '@inventory/contracts/refusal-codes';
import { serviceNames } from '@inventory/contracts/topics';
import { topicJobSettings } from '@inventory/service-host/jobs';
import { root, trackedFiles } from '../tidy/tracked-files.ts';
import { configOf } from './support/known-settings.ts';

const [page] = trackedFiles(/^docs\/operators\/deploying\.md$/);
const pages = trackedFiles(/^docs\/(operators\/[a-z-]+|contributors\/capacity)\.md$/);
/** Read by the telemetry preload itself. */
const ofTelemetry = /^OTEL_/;
const ofTheBuild = ['SERVICE', 'NODE_IMAGE', 'RUNTIME_IMAGE', 'VERSION', 'REVISION'];
/** Read by the operator's command line. */
const ofCommandLines = ['OPERATOR_URL', 'OPERATOR_TOKEN'];
/** Variables of docker-compose.yml that it passes on under another name. */
const ofCompose = /^(GATEWAY|REFRESH_COLLECTOR|EVENT_STREAM)_SERVICE_TOKEN$/;

test('the page of the operator API has every code of its errors, with its status (Errors)', () => {
  const [operating] = trackedFiles(/^docs\/operators\/operating\.md$/);
  const rows = [
    ...(operating?.text ?? '').matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \| ([\d, ]+) \|/gm),
  ];
  const written = rows.flatMap(([, codes = '', statuses = '']) =>
    codes.split(', ').map((code, index) => {
      const each = statuses.split(', ');
      return `${code.replaceAll('`', '')} ${each[index] ?? each[0]}`;
    }),
  );
  const sent = operatorCodes.map((code) => `${code} ${rowOf(code).status}`);
  expect(written.toSorted()).toEqual(sent.toSorted());
});

test('the operator’s pages name only settings that there are', async () => {
  const configs = await Promise.all(serviceNames.map(configOf));
  const known = new Set([
    ...configs.flatMap(({ settings }) => Object.keys(settings)),
    ...Object.keys(topicJobSettings),
    ...ofTheBuild,
    ...ofCommandLines,
  ]);
  const named = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/`([A-Z][A-Z_]{4,})`/g)].map(([, name = '']) => ({ path, name })),
  );
  expect(pages.length).toBeGreaterThan(8);
  expect(named.length).toBeGreaterThan(50);
  const unknown = named.filter(
    ({ name }) => !known.has(name) && !ofTelemetry.test(name) && !ofCompose.test(name),
  );
  expect(unknown).toEqual([]);
});

test('every command of the operator’s pages that acts in a namespace names it', () => {
  const commands = trackedFiles(/^docs\/operators\/.*\.md$/).flatMap(({ path, text }) =>
    [...text.matchAll(/(?:^ *|`)kubectl ([^`\n]+)/gm)].map(([, command = '']) => ({
      path,
      command,
    })),
  );
  // A kustomization has its namespace, and that of a namespace is none.
  const isNamed = (command: string) =>
    /^(-n game-item-inventory |apply -k |apply -f \S+\/namespace\.yaml$)/.test(command);
  expect(commands.length).toBeGreaterThan(15);
  expect(commands.filter(({ command }) => !isNamed(command))).toEqual([]);
});

test('docs/operators/deploying.md gives the defaults of the topics job', () => {
  const { TOPIC_PARTITIONS, TOPIC_REPLICATION_FACTOR } = topicJobSettings;
  const partitions = TOPIC_PARTITIONS.parse(undefined);
  const copies = TOPIC_REPLICATION_FACTOR.parse(undefined);
  expect(page?.text).toContain(
    `\`TOPIC_PARTITIONS\` (${partitions}), \`TOPIC_REPLICATION_FACTOR\` (${copies})`,
  );
});

test('every link of a document leads to a file, and to the heading it names', () => {
  const documents = trackedFiles(/\.md$/);
  expect(documents.length).toBeGreaterThan(100);
  const missing = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)#:\s]*)(?:#([^)\s]*))?\)/g)]
      .filter(
        ([, link = '', anchor]) => !leads(link === '' ? path : join(path, '..', link), anchor),
      )
      .map(([link]) => `${path}: ${link}`),
  );
  expect(missing).toEqual([]);
});

test('commands of kubectl on what the product deploys name its namespace', () => {
  const commands = trackedFiles(/^docs\/operators\/.*\.md$/).flatMap(({ path, text }) =>
    [...text.matchAll(/\bkubectl ([^`\n]*)/g)].map(([, rest = '']) => ({ path, rest })),
  );
  const onObjects = /\b(get|logs|exec|delete|wait|scale|rollout|port-forward|create job)\b/;

  expect(commands.length).toBeGreaterThan(10);
  const unnamed = commands.filter(({ rest }) => onObjects.test(rest) && !/^-n \S+/.test(rest));
  expect(unnamed).toEqual([]);
});

test('every library and service has a README, which names modules that there are', () => {
  const readmes = trackedFiles(/^(libs|services)\/[^/]+\/README\.md$/);
  const packages = trackedFiles(/^(libs|services)\/[^/]+\/(package\.json|pyproject\.toml)$/);
  const folders = (files: typeof readmes) => files.map(({ path }) => join(path, '..')).toSorted();
  const modules = trackedFiles(/\.ts$/).map(({ path }) => `/${path}`);
  const named = readmes.flatMap(({ path, text }) =>
    [...text.matchAll(/`([\w/-][\w./-]*\.ts)`/g)].map(([, module = '']) => ({ path, module })),
  );

  expect(folders(readmes)).toEqual(folders(packages));
  expect(named.length).toBeGreaterThan(100);
  const unknown = named.filter(({ module }) => !modules.some((one) => one.endsWith(`/${module}`)));
  expect(unknown).toEqual([]);
});

function leads(path: string, anchor: string | undefined): boolean {
  const target = join(root, path);
  return existsSync(target) && (anchor === undefined || headingsOf(target).includes(anchor));
}

function headingsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}

test('autoscalers ask for metrics that the services expose', () => {
  const [metrics] = trackedFiles(/^docs\/generated\/metrics\.md$/);
  const asked = trackedFiles(/^deploy\/kubernetes\/components\/(scaling|[a-z]+-by-[a-z]+)\//)
    .flatMap(({ text }) => [...text.matchAll(/\binventory_[a-z_]+/g)])
    .map(([name]) => name);
  expect(new Set(asked)).toEqual(
    new Set([
      'inventory_refresh_outstanding',
      'inventory_identity_states',
      'inventory_gateway_streams_open',
    ]),
  );
  for (const name of asked) expect(metrics?.text).toContain(`\`${name}\``);
});
