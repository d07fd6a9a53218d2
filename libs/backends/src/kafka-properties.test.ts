import { kafkaProperties } from './kafka-properties.ts';

const lines = kafkaProperties({ broker: 19_092, controller: 19_093 }).split('\n');

test('the broker listens on the loopback interface only', () => {
  expect(lines).toContain('listeners=PLAINTEXT://127.0.0.1:19092,CONTROLLER://127.0.0.1:19093');
  expect(lines).toContain('advertised.listeners=PLAINTEXT://127.0.0.1:19092');
  expect(lines).toContain('controller.quorum.voters=1@127.0.0.1:19093');
});

test('topics are not created automatically', () => {
  expect(lines).toContain('auto.create.topics.enable=false');
});

test('a consumer group keeps its offsets for 30 days, as long as commands are kept', () => {
  expect(lines).toContain('offsets.retention.minutes=43200');
});
