import { differencesOf, shortRetentions } from './compare-topics.ts';
import { topicConfigs } from './topic-admin.ts';

const wanted = topicConfigs({ partitions: 12, replicationFactor: 3, topicPrefix: 'p.' });
const settings = {
  'retention.ms': '2592000000',
  'retention.bytes': '-1',
  'cleanup.policy': 'delete',
  'min.insync.replicas': '2',
  'unclean.leader.election.enable': 'false',
  'message.timestamp.type': 'LogAppendTime',
  'segment.ms': '604800000',
};
const commands = { topic: 'p.billing.commands.v1', partitions: 12, replicas: 3, settings };

test('a topic as it is created differs in nothing, whatever else it has', () => {
  expect(differencesOf(wanted, [commands])).toEqual([]);
});

test.each([
  ['retention.ms', '86400000', '2592000000'],
  ['retention.bytes', '1073741824', '-1'],
  ['cleanup.policy', 'compact', 'delete'],
  ['min.insync.replicas', '1', '2'],
  ['unclean.leader.election.enable', 'true', 'false'],
  ['message.timestamp.type', 'CreateTime', 'LogAppendTime'],
])('an existing topic whose %s is %s is reported', (setting, found, stated) => {
  const other = { ...commands, settings: { ...settings, [setting]: found } };

  expect(differencesOf(wanted, [other])).toEqual([
    { of: 'p.billing.commands.v1', setting, found, wanted: stated },
  ]);
});

test('other numbers of partitions and replicas are reported, also without a right to the settings', () => {
  const prices = { topic: 'p.billing.price-lists.v1', partitions: 12, replicas: 1, settings: null };

  expect(differencesOf(wanted, [prices])).toEqual([
    { of: prices.topic, setting: 'partitions', found: '12', wanted: '1' },
    { of: prices.topic, setting: 'replication factor', found: '1', wanted: '3' },
  ]);
});

test('a broker that keeps the positions of a group for less than thirty days is reported', () => {
  const brokers = ['10080', '43199', '43200', '525600'].map((minutes, index) => ({
    broker: String(index),
    minutes,
  }));

  expect(shortRetentions(brokers)).toEqual(
    brokers.slice(0, 2).map(({ broker, minutes }) => ({
      of: `broker ${broker}`,
      setting: 'offsets.retention.minutes',
      found: minutes,
      wanted: '43200',
    })),
  );
});
