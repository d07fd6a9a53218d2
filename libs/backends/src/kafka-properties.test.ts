import { kafkaProperties } from './kafka-properties.ts';

const lines = kafkaProperties({ broker: 19_092, controller: 19_093 }).split('\n');

test('the broker listens on the loopback interface only', () => {
  expect(lines).toContain('listeners=PLAINTEXT://127.0.0.1:19092,CONTROLLER://127.0.0.1:19093');
  expect(lines).toContain('advertised.listeners=PLAINTEXT://127.0.0.1:19092');
  expect(lines).toContain('controller.quorum.voters=1@127.0.0.1:19093');
});

test('a topic exists only when somebody made it', () => {
  expect(lines).toContain('auto.create.topics.enable=false');
});

test('a consumer group keeps its place for 30 days, as long as commands are kept', () => {
  expect(lines).toContain('offsets.retention.minutes=43200');
});

test('one broker is enough for every topic, internal ones included', () => {
  const factors = lines.filter((line) => line.includes('replication.factor='));

  expect(factors).toHaveLength(4);
  for (const factor of factors) expect(factor).toMatch(/=1$/);
});

test('a setting that is given takes the place of our own', () => {
  const given = { 'log.retention.check.interval.ms': 500, 'offsets.retention.minutes': 1 };
  const changed = kafkaProperties({ broker: 19_092, controller: 19_093 }, given).split('\n');

  expect(changed).toContain('log.retention.check.interval.ms=500');
  expect(changed.filter((line) => line.startsWith('offsets.retention'))).toEqual([
    'offsets.retention.minutes=1',
  ]);
});

test('no setting is given twice and none has a path that would need escaping', () => {
  const names = lines.filter((line) => line !== '').map((line) => line.split('=')[0]);

  expect(new Set(names).size).toBe(names.length);
  expect(lines).toContain('log.dirs=data');
});
