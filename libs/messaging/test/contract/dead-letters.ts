import type { TopicName } from '@inventory/contracts/topics';
import { waitFor } from '@inventory/testkit/wait-for';
import { encode, type WireRecord } from '../../src/wire-record.ts';
import type { BusWorld } from '../support/bus-world.ts';
import { recordWork } from '../support/record-work.ts';
import { cancel, firstIndexes, newKeys, workTopic } from '../support/test-messages.ts';

/** Records that no consumer can decode, by the reason of their dead letter. */
function undecodableRecords(): [reason: string, topic: TopicName, record: WireRecord][] {
  const good = cancel(newKeys(1)[0] ?? '');
  const headers = { 'message-type': good.type, 'message-id': good.id, trace: 'kept' };
  const { value } = encode(good).record;
  const key = good.body.refreshId;
  return [
    ['missing_type', workTopic, { key, value, headers: { 'message-id': good.id } }],
    ['missing_id', workTopic, { key, value, headers: { 'message-type': good.type } }],
    [
      'unknown_type',
      workTopic,
      { key, value, headers: { ...headers, 'message-type': 'toString' } },
    ],
    [
      'wrong_topic',
      workTopic,
      { key, value, headers: { ...headers, 'message-type': 'billing.release.v1' } },
    ],
    ['malformed_json', workTopic, { key, value: Buffer.from([0x7b, 0xff, 0x00]), headers }],
    ['malformed_json', workTopic, { key: '', value: Buffer.alloc(0), headers }],
    [
      'invalid_body',
      workTopic,
      { key, value: Buffer.from(String(value).replace(/acc_/, 'a_')), headers },
    ],
  ];
}

export function describeDeadLetters(world: () => BusWorld): void {
  test('a record that breaks its contract is kept with its reason, origin and bytes', async () => {
    const bus = await world().openBus();
    const { handled } = await recordWork(bus);
    const [key = ''] = newKeys(1);
    const records = undecodableRecords();

    for (const [_reason, topic, record] of records) await world().put(topic, record);
    await bus.publish([cancel(key)]);
    await bus.publish(newKeys(10).map((each) => cancel(each)));

    await waitFor('the followers are handled', () => handled.length === 11);
    const letters = await waitFor('all are in the dead letters', async () => {
      const found = await world().letters(workTopic);
      return found.length === records.length && found;
    });
    for (const [reason, , record] of records) {
      const letter = letters.find(
        ({ headers, value }) =>
          headers['dead-letter-reason'] === reason && value.equals(record.value),
      );
      expect(letter).toMatchObject({ key: record.key, headers: record.headers });
      expect(letter?.headers).toMatchObject({
        'dead-letter-group': 'workers',
        'dead-letter-topic': workTopic,
        'dead-letter-partition': expect.stringMatching(/^[01]$/),
        'dead-letter-offset': expect.stringMatching(/^\d+$/),
        'dead-letter-detail': expect.any(String),
      });
    }
    await waitFor('the bus is ready', () => bus.health().ready);
  });

  test('a flood of dead letters stops its partition, shows in health, and stops no other', async () => {
    const bus = await world().openBus();
    const { handled } = await recordWork(bus);
    const keys = newKeys(40);
    const [flooding = ''] = keys;
    const bad: WireRecord = { key: flooding, value: Buffer.from('{}'), headers: {} };

    for (let count = 0; count < 30; count += 1) await world().put(workTopic, bad);

    await waitFor('health names the topic', () =>
      bus.health().problems.some((problem) => problem.includes(workTopic)),
    );
    expect(bus.health()).toMatchObject({ ready: false, alive: true });
    await bus.publish(keys.map((key) => cancel(key)));
    const elsewhere = await waitFor('the other partition continues', () => {
      const partitions = new Set(handled.map(({ partition }) => partition));
      return handled.length > 0 && partitions;
    });
    expect(elsewhere.size).toBe(1);
    expect(firstIndexes(handled, flooding)).toEqual([]);
    expect((await world().letters(workTopic)).length).toBe(20);
  });
}
