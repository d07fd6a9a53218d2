import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MessageType, messages, messageTypes } from '@inventory/contracts/messages';
import { type TopicName, topicNames, topics } from '@inventory/contracts/topics';
import { z } from 'zod';
import type { OutgoingMessage } from '../../libs/messaging/src/bus.ts';
import { decode, encode, type WireRecord } from '../../libs/messaging/src/wire-record.ts';

/**
 * Records as they lay in a topic when their version was made. They are never changed: what they
 * say is what a reader may meet for as long as a topic keeps its records. A message type has the
 * sample of its name, and one more per form it can take.
 */
interface Sample {
  readonly topic: TopicName;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

const folder = join(__dirname, 'samples');
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
const samples = names.map((name): [string, Sample] => [
  name,
  JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')),
]);

const typeOf = ({ headers }: Sample) => headers['message-type'] as MessageType;
const recordOf = ({ key, headers, body }: Sample): WireRecord => ({
  key,
  headers,
  value: Buffer.from(JSON.stringify(body)),
});
const positionIn = (topic: TopicName) => ({ topic, partition: 0, offset: '0', writtenAtMs: 0 });

test('every message type has a frozen sample, and every sample a message type', () => {
  const undocumented = messageTypes.filter((type) => !names.includes(type));
  const strays = samples.filter(([name, sample]) => !name.startsWith(typeOf(sample)));

  expect(undocumented).toEqual([]);
  expect(strays.map(([name]) => name)).toEqual([]);
});

test.each(samples)('%s is read as it was written', (_name, sample) => {
  const decoded = decode(recordOf(sample), positionIn(sample.topic));

  expect(decoded).toEqual({
    result: 'message',
    message: {
      type: typeOf(sample),
      id: sample.headers['message-id'],
      key: sample.key,
      // What it says is told by the test below, which writes it again.
      body: expect.any(Object),
      waitingId: sample.headers['waiting-id'],
      deadlineMs: sample.headers['deadline-ms'] && Number(sample.headers['deadline-ms']),
      trace: { traceparent: sample.headers['traceparent'] },
      ...positionIn(sample.topic),
    },
  });
});

test.each(samples)(
  '%s is written as it was read: topic, key, headers and body',
  (_name, sample) => {
    const decoded = decode(recordOf(sample), positionIn(sample.topic));
    if (decoded.result === 'undecodable') throw new Error(decoded.detail);

    const { topic, record } = encode(decoded.message as OutgoingMessage);

    expect({
      ...record,
      topic,
      value: undefined,
      body: JSON.parse(record.value.toString()),
    }).toEqual({
      ...sample,
      value: undefined,
    });
  },
);

test.each(messageTypes)('the samples of %s show every field of its contract', (type) => {
  const schema = z.toJSONSchema(messages[type].body, { io: 'input', unrepresentable: 'any' });
  const bodies = samples
    .filter(([, sample]) => typeOf(sample) === type)
    .map(([, { body }]) => body);

  expect(unshownFields(schema as Schema, bodies)).toEqual([]);
});

test.each(samples)('%s with fields that a later version adds is read the same', (_name, sample) => {
  const later = { ...sample, body: withMoreFields(sample.body) as Sample['body'] };
  const position = positionIn(sample.topic);

  expect(later.body).not.toEqual(sample.body);
  expect(decode(recordOf(later), position)).toEqual(decode(recordOf(sample), position));
});

test.each(samples)(
  '%s without any one of its fields is refused, but for fields that were added later',
  (_name, sample) => {
    const { body: contract } = messages[typeOf(sample)];
    const schema = z.toJSONSchema(contract, { io: 'input', unrepresentable: 'any' });
    const added = addedFields(schema as Schema);
    for (const field of Object.keys(sample.body)) {
      const { [field]: _left, ...body } = sample.body;
      const decoded = decode(recordOf({ ...sample, body }), positionIn(sample.topic));
      expect([field, decoded.result === 'message']).toEqual([field, added.includes(field)]);
    }
  },
);

test.each(topicNames)(
  '%s has an owner, a reader and a message, with the key of its catalogue entry',
  (name) => {
    const { producers, consumers, readers, key } = topics[name];
    const own = messageTypes.filter((type) => messages[type].topic === name);

    expect(producers.length).toBeGreaterThan(0);
    expect(consumers.length + readers.length).toBeGreaterThan(0);
    expect(own.length).toBeGreaterThan(0);
    for (const [, sample] of samples.filter(([, { topic }]) => topic === name)) {
      expect(sample.body[key]).toBe(sample.key);
    }
  },
);

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Within a version a body gains optional fields only. */
function addedFields(schema: Schema): string[] {
  const forms = [schema, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return forms.flatMap(({ properties = {}, required = [] }) =>
    Object.keys(properties).filter((name) => !required.includes(name)),
  );
}

/** Paths of fields of the schema that none of the values has. */
function unshownFields(schema: Schema, values: readonly unknown[], path = ''): string[] {
  if (values.length === 0) return [`${path} is never shown`];
  const forms = schema.oneOf ?? schema.anyOf;
  if (forms) {
    return forms
      .filter((form) => form.properties !== undefined)
      .flatMap((form) => {
        const names = Object.keys(form.properties ?? {});
        const ofForm = values.filter((value) => hasAll(value, names));
        return unshownFields(form, ofForm, `${path}(${names.join('|')})`);
      });
  }
  if (schema.items) return unshownFields(schema.items, values.flat(), `${path}[]`);
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const shown = values.filter((value) => hasAll(value, [name]));
    const inside = shown.map((value) => (value as Record<string, unknown>)[name]);
    return unshownFields(inner, inside, `${path}.${name}`);
  });
}

function hasAll(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.every((name) => name in value);
}

/** The same value with one more field in every object. */
function withMoreFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMoreFields);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).map(([name, field]) => [name, withMoreFields(field)]);
  return { ...Object.fromEntries(inner), added_by_a_later_version: { of: ['something'] } };
}
