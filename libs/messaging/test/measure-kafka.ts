import { join } from 'node:path';
import { monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';
import { openNamespace, testLogger } from '@inventory/testkit/namespace';
import { openTestBus } from '@inventory/testkit/test-bus';
import { startProgram } from '@inventory/testkit/typescript-program';
import { waitFor } from '@inventory/testkit/wait-for';
import { Kafka, logLevel, type Producer } from 'kafkajs';
import type { MessageBus, ReceivedMessage } from '../src/bus.ts';
import { createKafkaClient } from '../src/kafka/kafkajs/client.ts';
import { openKafkajsProducer } from '../src/kafka/kafkajs/producer.ts';
import { createRecordSender } from '../src/kafka/record-sender.ts';
import { physicalTopic } from '../src/kafka/topic-names.ts';
import { cancel, newKeys, workTopic } from './support/test-messages.ts';

/*
 * The figures of the table in this library's README, each beside the unmodified client, measured in
 * the same run. Prints Markdown; about a minute. KAFKA_BROKERS and MONGODB_URI name the servers.
 */

interface Figure {
  readonly what: string;
  readonly ours: string;
  readonly yardstick: string;
}

const namespace = openNamespace();
const idleMs = 10_000;

async function clients() {
  const { kafkaBrokers, topicPrefix } = await namespace;
  const brokers = [...kafkaBrokers];
  const ours = createKafkaClient({ brokers, clientId: 'measure', logger: testLogger });
  const bare = new Kafka({ brokers, clientId: 'bare', logLevel: logLevel.NOTHING });
  return { brokers, topicPrefix, ours, bare };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const inMs = (value: number) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;

async function idleLoad(): Promise<Figure> {
  const { brokers, topicPrefix } = await clients();
  const [broker = ''] = brokers;
  const topic = physicalTopic(topicPrefix, 'refresh.outcomes.v1');
  const file = join(__dirname, 'programs/idle-program.ts');
  const [guarded, bare] = await Promise.all(
    ['guarded', 'bare'].map(async (kind) => {
      const program = startProgram({ file, args: [kind, broker, topic, String(idleMs)] });
      const cpuMs = Number((await program.line(/^cpu \d+$/)).slice(4));
      const warned = program.output().includes('TimeoutNegativeWarning');
      const share = ((100 * cpuMs) / idleMs).toFixed(1);
      return `${cpuMs} ms CPU (${share} %)${warned ? ', TimeoutNegativeWarning' : ''}`;
    }),
  );
  return {
    what: `idle process, producer + consumer, ${idleMs / 1000} s`,
    ours: guarded ?? '',
    yardstick: bare ?? '',
  };
}

/** Small sends to several topics at once share a connection, as outcomes and replies do. */
async function pipelinedSends(kafka: Kafka, topics: readonly string[]): Promise<number[]> {
  const producer: Producer = kafka.producer();
  await producer.connect();
  const sendMs: number[] = [];
  for (let round = 0; round < 300; round += 1) {
    await Promise.all(
      topics.map(async (topic) => {
        const startMs = monotonicNow();
        await producer.send({ topic, messages: [{ key: 'k', value: 'v' }] });
        if (round >= 50) sendMs.push(monotonicNow() - startMs);
      }),
    );
  }
  await producer.disconnect();
  return sendMs;
}

async function smallWrites(): Promise<Figure> {
  const { ours, bare, topicPrefix } = await clients();
  const topics = [
    'refresh.outcomes.v1',
    'billing.outcomes.v1',
    'revision.outcomes.v1',
    'replies.v1',
  ];
  const physical = topics.map((topic) => physicalTopic(topicPrefix, topic));
  const summary = (sendMs: number[]) =>
    `p50 ${inMs(percentile(sendMs, 0.5))}, p95 ${inMs(percentile(sendMs, 0.95))}`;
  const yardstick = summary(await pipelinedSends(bare, physical));
  return {
    what: 'four small sends at once on one connection (noDelay)',
    ours: summary(await pipelinedSends(ours, physical)),
    yardstick,
  };
}

/** How long after `resume` a message of a paused topic is delivered. */
async function resumeMs(kafka: Kafka, topic: string, maxWaitTimeInMs: number): Promise<number[]> {
  const producer = kafka.producer();
  const consumer = kafka.consumer({ groupId: `${topic}-${maxWaitTimeInMs}`, maxWaitTimeInMs });
  await Promise.all([producer.connect(), consumer.connect()]);
  await consumer.subscribe({ topics: [topic] });
  let arrived: (() => void) | undefined;
  const joined = new Promise((resolve) => consumer.on(consumer.events.FETCH, resolve));
  await consumer.run({ eachMessage: async () => arrived?.() });
  await joined;
  const waits: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    consumer.pause([{ topic }]);
    await pause(300);
    await producer.send({ topic, messages: [{ value: 'x' }] });
    await pause(100 + 200 * round);
    const got = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const startMs = monotonicNow();
    consumer.resume([{ topic }]);
    await got;
    waits.push(monotonicNow() - startMs);
  }
  await Promise.all([consumer.disconnect(), producer.disconnect()]);
  return waits;
}

async function resumeLatency(): Promise<Figure> {
  const { ours, topicPrefix } = await clients();
  const topic = physicalTopic(topicPrefix, 'revision.commands.v1');
  const [short, long] = [await resumeMs(ours, topic, 500), await resumeMs(ours, topic, 5_000)];
  return {
    what: 'resume of a paused consumer, longest of 5 (fetch wait 500 ms; 5 s)',
    ours: inMs(Math.max(...short)),
    yardstick: inMs(Math.max(...long)),
  };
}

async function batching(): Promise<Figure> {
  const { ours, topicPrefix } = await clients();
  const topic = physicalTopic(topicPrefix, 'billing.commands.v1');
  const count = 20_000;
  const value = Buffer.alloc(300, 'x');
  const records = Array.from({ length: count }, (_, index) => ({
    key: String(index % 50),
    value,
    headers: {},
  }));
  const sender = createRecordSender(await openKafkajsProducer(ours));
  let startMs = monotonicNow();
  await sender.send([{ topic, records }]);
  const batched = count / ((monotonicNow() - startMs) / 1000);
  await sender.close();
  const producer = ours.producer();
  await producer.connect();
  startMs = monotonicNow();
  const single = 2_000;
  for (let sent = 0; sent < single; sent += 1) {
    await producer.send({ topic, messages: [{ key: 'k', value }] });
  }
  const alone = single / ((monotonicNow() - startMs) / 1000);
  await producer.disconnect();
  return {
    what: 'records of 300 B per second, in order (batched; one by one)',
    ours: `${batched.toFixed(0)} /s`,
    yardstick: `${alone.toFixed(0)} /s`,
  };
}

async function roundTrip(): Promise<Figure> {
  const { ours, topicPrefix } = await clients();
  const bus = await openTestBus(await namespace);
  const sentAt = new Map<string, number>();
  const took: number[] = [];
  const arrived = (id: string) => took.push(monotonicNow() - (sentAt.get(id) ?? Number.NaN));
  await bus.consume({
    group: 'round-trip',
    topics: [workTopic],
    onBatch: async (messages) => messages.forEach(({ id }) => void arrived(id)),
  });
  const [key = ''] = newKeys(1);
  for (let place = 0; place < 300; place += 1) {
    const message = cancel(key, place);
    sentAt.set(message.id, monotonicNow());
    await bus.publish([message]);
    await pause(10);
  }
  await waitFor('all arrived', () => took.length === 300);
  const closing = monotonicNow();
  await bus.close();
  const closedMs = monotonicNow() - closing;
  const plain = await plainRoundTrip(ours, physicalTopic(topicPrefix, 'refresh.outcomes.v1'));
  const summary = (values: number[]) =>
    `p50 ${inMs(percentile(values, 0.5))}, p99 ${inMs(percentile(values, 0.99))}`;
  return {
    what: `publish to handler, one each 10 ms (closing afterwards took ${inMs(closedMs)})`,
    ours: summary(took.slice(20)),
    yardstick: summary(plain.slice(20)),
  };
}

/** The same with the plain client and our settings. */
async function plainRoundTrip(kafka: Kafka, topic: string): Promise<number[]> {
  const producer = kafka.producer();
  const consumer = kafka.consumer({ groupId: `${topic}-plain`, maxWaitTimeInMs: 250 });
  await Promise.all([producer.connect(), consumer.connect()]);
  await consumer.subscribe({ topics: [topic] });
  const took: number[] = [];
  const joined = new Promise((resolve) => consumer.on(consumer.events.FETCH, resolve));
  await consumer.run({
    eachMessage: async ({ message }) => {
      took.push(monotonicNow() - Number(message.value?.toString()));
    },
  });
  await joined;
  for (let place = 0; place < 300; place += 1) {
    await producer.send({ topic, messages: [{ key: 'k', value: String(monotonicNow()) }] });
    await pause(10);
  }
  await waitFor('all arrived', () => took.length >= 300);
  await Promise.all([consumer.disconnect(), producer.disconnect()]);
  return took;
}

/** Three members under load, stopped and replaced one after the other. */
async function rollingRestart(): Promise<Figure> {
  const own = await openNamespace();
  const sender = await openTestBus(own);
  const handled: ReceivedMessage[] = [];
  const gaps: number[] = [];
  let lastMs = monotonicNow();
  const join = async (): Promise<MessageBus> => {
    const bus = await openTestBus(own);
    await bus.consume({
      group: 'rolling',
      topics: ['refresh.commands.v1', 'billing.commands.v1', 'refresh.outcomes.v1'],
      onBatch: async (messages) => {
        gaps.push(monotonicNow() - lastMs);
        lastMs = monotonicNow();
        handled.push(...messages);
      },
    });
    return bus;
  };
  let members = [await join(), await join(), await join()];
  const keys = newKeys(40);
  await waitFor('the group is settled', () => members.every((bus) => bus.health().ready));
  let sent = 0;
  let rolling = true;
  const sending = (async () => {
    while (rolling) {
      await sender.publish(keys.map((key) => cancel(key, 1_000 + sent)));
      sent += 1;
      await pause(50);
    }
  })();
  await waitFor('messages flow', () => handled.length > 200);
  gaps.length = 0;
  for (const leaving of members) {
    await leaving.close();
    members = [...members.filter((member) => member !== leaving), await join()];
    await pause(3_000);
  }
  rolling = false;
  await sending;
  const wanted = sent * keys.length;
  const seen = () => handled.filter(({ id }) => Number(id.split('#')[1]) >= 1_000);
  await waitFor('all are handled', () => new Set(seen().map(({ id }) => id)).size === wanted, {});
  const duplicates = seen().length - wanted;
  await Promise.all([sender, ...members].map((bus) => bus.close()));
  return {
    what: `rolling restart of 3 members under load, ${wanted} messages`,
    ours: `0 lost, ${duplicates} repeated, longest silence ${inMs(Math.max(...gaps))}`,
    yardstick: '13 of 6,345 repeated, 4.97 s silence (client alone, simulated cluster)',
  };
}

async function measure(): Promise<void> {
  process.stdout.write('| What | Here | The client as it comes |\n| --- | --- | --- |\n');
  const all = [idleLoad, smallWrites, resumeLatency, batching, roundTrip, rollingRestart];
  for (const one of all) {
    const { what, ours, yardstick } = await one();
    process.stdout.write(`| ${what} | ${ours} | ${yardstick} |\n`);
  }
  process.exit(0);
}

void measure();
