import { serviceNames } from '@inventory/contracts/topics';
import { topicJobSettings } from '@inventory/service-host/prepare';
import { trackedFiles } from '../tidy/tracked-files.ts';
import { configOf } from './support/known-settings.ts';

const [page] = trackedFiles(/^docs\/deploying\.md$/);
const ofTheBuild = ['SERVICE', 'NODE_IMAGE', 'VERSION', 'REVISION'];

test('docs/deploying.md names only settings that there are', async () => {
  const configs = await Promise.all(serviceNames.map(configOf));
  const known = new Set([
    ...configs.flatMap(({ settings }) => Object.keys(settings)),
    ...Object.keys(topicJobSettings),
    ...ofTheBuild,
  ]);
  const named = [...(page?.text.matchAll(/`([A-Z][A-Z_]{4,})`/g) ?? [])].map(
    ([, name = '']) => name,
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test('docs/deploying.md gives the defaults of the topics job', () => {
  const { TOPIC_PARTITIONS, TOPIC_REPLICATION_FACTOR } = topicJobSettings;
  const partitions = TOPIC_PARTITIONS.parse(undefined);
  const copies = TOPIC_REPLICATION_FACTOR.parse(undefined);
  expect(page?.text).toContain(
    `\`TOPIC_PARTITIONS\` (${partitions}), \`TOPIC_REPLICATION_FACTOR\` (${copies})`,
  );
});
