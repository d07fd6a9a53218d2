import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MessageType, messages } from '@inventory/contracts/messages';
import { type ServiceName, serviceNames, topicNames, topicsOf } from '@inventory/contracts/topics';
import type { MessageBus, OutgoingMessage } from '@inventory/messaging/bus';
import { createKafkaBus } from '@inventory/messaging/kafka/kafka-bus';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { kafkaAccess, kafkaSettings } from '@inventory/runtime/kafka-access';
import { readSettings } from '@inventory/runtime/settings';
import {
  type CertificateDirectory,
  openCertificateDirectory,
} from '@inventory/testkit/certificates';
import { testLogger } from '@inventory/testkit/namespace';
import { waitFor } from '@inventory/testkit/wait-for';
import { startReceiver } from '../../services/event-stream/test/support/http-receiver.ts';
import { type EverydayTraffic, startEverydayTraffic } from './support/everyday-traffic.ts';
import { takeJourney } from './support/journey.ts';
import { readLogs } from './support/read-logs.ts';
import { type SecuredKafka, startSecuredKafka, userOf } from './support/secured-kafka.ts';
import { sizeScope } from './support/simulator-control.ts';
import { openTestStack, type TestStack } from './support/test-stack.ts';

/** Its live pages are read by a round of everyday traffic, and it is refreshed by none. */
const capturedByTraffic = sizeScope(2_500, 1_001);
/** Topics that no service of the stack consumes: what is written here has no effect. */
const aside = 'aside.';
/** A message of each topic. */
const samples: Readonly<Record<(typeof topicNames)[number], MessageType>> = {
  'refresh.commands.v1': 'refresh.cancel.v1',
  'billing.commands.v1': 'billing.grant.v1',
  'billing.outcomes.v1': 'billing.outcome.v1',
  'billing.price-lists.v1': 'billing.price-list.v1',
  'revision.commands.v1': 'revision.abandoned.v1',
  'revision.outcomes.v1': 'revision.rejected.v1',
  'refresh.outcomes.v1': 'refresh.completed.v1',
  'project.events.v1': 'project.event-appended.v1',
  'authority.changes.v1': 'authority.changed.v1',
  'replies.v1': 'reply.refresh-cancel.v1',
};

let folder: CertificateDirectory;
let kafka: SecuredKafka;
let stack: TestStack;
let traffic: EverydayTraffic;
let receiver: Awaited<ReturnType<typeof startReceiver>>;

beforeAll(async () => {
  folder = openCertificateDirectory();
  kafka = await startSecuredKafka({ folder, authority: folder.newAuthority('authority') });
  await Promise.all([kafka.prepare(), kafka.prepare(aside)]);
  const logins = serviceNames.map((service) => [service, kafka.login(userOf(service))]);
  receiver = await startReceiver();
  stack = await openTestStack({
    ownBackends: true,
    environment: kafka.login('inventory-admin'),
    serviceEnvironment: Object.fromEntries(logins),
  });
  traffic = await startEverydayTraffic(stack, receiver.url);
});
afterAll(async () => {
  await traffic?.stop();
  await stack?.close();
  await receiver?.close();
  await kafka?.stop();
  folder.remove();
});

/** A client with the login of a service, and without the checks of the service itself. */
function openBusAs(service: ServiceName, topicPrefix = ''): Promise<MessageBus> {
  return createKafkaBus({
    ...kafkaAccess(readSettings(kafkaSettings, kafka.login(userOf(service)))),
    topicPrefix,
    service,
    logger: testLogger,
    identifiers: systemIdentifiers,
  });
}

function sample(type: MessageType): OutgoingMessage {
  const path = join(__dirname, `../contract/samples/${type}.json`);
  const body = messages[type].body.parse(JSON.parse(readFileSync(path, 'utf8')).body);
  return { type, id: systemIdentifiers.uuidV7(), body } as OutgoingMessage;
}

/** The broker's reason is the error's own or that of a cause. */
function outcomeOf(done: Promise<unknown>): Promise<string> {
  return done.then(
    () => 'allowed',
    (error: unknown) => {
      for (let cause = error; cause instanceof Error; cause = cause.cause) {
        const { type } = cause as { type?: string };
        if (type !== undefined) return type;
      }
      return String(error);
    },
  );
}

test('every service works with the rights of its own user where everything else is denied', async () => {
  await traffic.round();
  const journey = await takeJourney(stack, { scope: sizeScope(2_500, 7_001) });

  expect(journey.events).toHaveLength(1);
  expect(journey.rows.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['reserve', 'settle']),
  );
  await waitFor('the event is delivered to a webhook', () => receiver.hooks.length > 0);
  await waitFor('the chain of live pages is captured', async () => {
    const { status } = await journey.customer.api.current(capturedByTraffic);
    return status === 200;
  });
  for (const { name, url } of stack.services) {
    const readiness = await fetch(`${url}/readyz`);
    expect([name, await readiness.json()]).toEqual([name, { status: 'ok', problems: [] }]);
  }
  expect(readLogs(stack)).not.toMatch(/AUTHORIZATION_FAILED|not authorized/i);
});

test.each(serviceNames)(
  '%s publishes to the topics that it is a producer of; the broker refuses it every other',
  async (service) => {
    const bus = await openBusAs(service, aside);
    const outcomes: (readonly [string, string])[] = [];
    for (const topic of topicNames) {
      outcomes.push([topic, await outcomeOf(bus.publish([sample(samples[topic])]))]);
    }
    await bus.close();

    const produced = topicsOf(service, 'producers');
    const expected = topicNames.map((topic) => [
      topic,
      produced.includes(topic) ? 'allowed' : 'TOPIC_AUTHORIZATION_FAILED',
    ]);
    expect(outcomes).toEqual(expected);
  },
);

test('the event-stream can neither grant credits nor join the group of the ledger', async () => {
  const bus = await openBusAs('event-stream');
  const onBatch = async () => {};

  expect(await outcomeOf(bus.publish([sample('billing.grant.v1')]))).toBe(
    'TOPIC_AUTHORIZATION_FAILED',
  );
  // The client reports the refusal of a group as a coordinator that it does not find.
  expect(
    await outcomeOf(
      bus.consume({ group: 'billing-ledger', topics: ['billing.outcomes.v1'], onBatch }),
    ),
  ).toMatch(/coordinator/);
  await bus.close();
});
