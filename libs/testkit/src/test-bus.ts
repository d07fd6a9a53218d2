import type { MessageBus } from '@inventory/messaging/bus';
import { createKafkaBus } from '@inventory/messaging/kafka/kafka-bus';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { patientTiming, type TestNamespace, testLogger } from './namespace.ts';

/** A bus of the test itself, to send commands and to observe outcomes. */
export function openTestBus(namespace: TestNamespace): Promise<MessageBus> {
  return createKafkaBus({
    brokers: namespace.kafkaBrokers,
    topicPrefix: namespace.topicPrefix,
    timing: patientTiming,
    service: 'test',
    logger: testLogger,
    identifiers: systemIdentifiers,
  });
}
