import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { operatorCodes } from '@inventory/contracts/refusal-codes';
import { serviceNames } from '@inventory/contracts/topics';
import { topicJobSettings } from '@inventory/service-host/prepare';
import { root, trackedFiles } from '../tidy/tracked-files.ts';
import { configOf } from './support/known-settings.ts';

const [page] = trackedFiles(/^docs\/operators\/deploying\.md$/);
const pages = trackedFiles(
  /^docs\/(operators\/(deploying|configuring|rotating-secrets|failure-modes|backup-and-restore)|contributors\/capacity)\.md$/,
);
/** Read by the telemetry preload itself. */
const ofTelemetry = /^OTEL_/;
const ofTheBuild = ['SERVICE', 'NODE_IMAGE', 'RUNTIME_IMAGE', 'VERSION', 'REVISION'];
/** Variables of docker-compose.yml that it passes on under another name. */
const ofCompose = /^(GATEWAY|REFRESH_COLLECTOR|EVENT_STREAM)_SERVICE_TOKEN$/;

test('the page of the operator API has every code of its errors', () => {
  const [operating] = trackedFiles(/^docs\/operators\/operating\.md$/);
  expect(operatorCodes.filter((code) => !operating?.text.includes(`\`${code}\``))).toEqual([]);
});

test('the operator’s pages name only settings that there are', async () => {
  const configs = await Promise.all(serviceNames.map(configOf));
  const known = new Set([
    ...configs.flatMap(({ settings }) => Object.keys(settings)),
    ...Object.keys(topicJobSettings),
    ...ofTheBuild,
  ]);
  const named = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/`([A-Z][A-Z_]{4,})`/g)].map(([, name = '']) => ({ path, name })),
  );
  expect(pages).toHaveLength(6);
  expect(named.length).toBeGreaterThan(50);
  const unknown = named.filter(
    ({ name }) => !known.has(name) && !ofTelemetry.test(name) && !ofCompose.test(name),
  );
  expect(unknown).toEqual([]);
});

test('docs/operators/deploying.md gives the defaults of the topics job', () => {
  const { TOPIC_PARTITIONS, TOPIC_REPLICATION_FACTOR } = topicJobSettings;
  const partitions = TOPIC_PARTITIONS.parse(undefined);
  const copies = TOPIC_REPLICATION_FACTOR.parse(undefined);
  expect(page?.text).toContain(
    `\`TOPIC_PARTITIONS\` (${partitions}), \`TOPIC_REPLICATION_FACTOR\` (${copies})`,
  );
});

test('every link of README.md and of the operator’s pages leads to a file', () => {
  const [readme] = trackedFiles(/^README\.md$/);
  for (const { path, text } of [...(readme ? [readme] : []), ...pages]) {
    const links = [...text.matchAll(/\]\(([^)#:]+)(#[^)]*)?\)/g)].map(([, link = '']) => link);
    const missing = links.filter((link) => !existsSync(join(root, dirname(path), link)));
    expect([path, missing]).toEqual([path, []]);
  }
});

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
