import { deadLetterTopic, topicNames } from '@inventory/contracts/topics';
import { counter, gauge, histogram } from '@inventory/runtime/instruments';

const destination = {
  'messaging.destination.name': {
    words: 'topics without any prefix, and their dead letters as `<topic>.dead-letter`',
    pattern: new RegExp(
      `^(${topicNames.flatMap((name) => [name, deadLetterTopic(name)]).join('|')})$`,
    ),
  },
};
const sendError = {
  'error.type': {
    words: "the client's name for the error; absent on success",
    pattern: /^[A-Z][A-Za-z]{2,60}$/,
  },
};
const reader = {
  'messaging.destination.name': topicNames,
  'messaging.consumer.group.name': {
    words: 'names of consumer groups without any prefix: a service, or its purpose',
    pattern: /^[a-z-]{3,40}$/,
  },
};

export const sentMessages = counter({
  name: 'messaging.client.sent.messages',
  description: 'Records acknowledged by the broker, or failed',
  labels: { ...destination, ...sendError },
});
export const sendDuration = histogram({
  name: 'messaging.client.operation.duration',
  description: 'Time until the broker acknowledged a batch',
  unit: 's',
  labels: { ...destination, ...sendError },
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});
export const consumedMessages = counter({
  name: 'messaging.client.consumed.messages',
  description: 'Records whose effect is durable',
  labels: reader,
});
export const processDuration = histogram({
  name: 'messaging.process.duration',
  description: 'Time until the effect of a batch of records is durable, or its handler failed',
  unit: 's',
  labels: { ...reader, 'error.type': ['retry', 'flooded'] },
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});
export const deadLetters = counter({
  name: 'inventory.dead_letters',
  description: 'Records sent to a dead-letter topic, or ignored by a broadcast reader',
  labels: {
    'messaging.destination.name': topicNames,
    reason: {
      words: 'the reason, as in the dead letter',
      pattern: /^[a-z_]{3,40}$/,
    },
  },
});
export const consumerLag = gauge({
  name: 'inventory.consumer.lag',
  description: "Records of this replica's partitions that are not handled",
  labels: reader,
});
export const consumerDelay = gauge({
  name: 'inventory.consumer.delay',
  description: 'Age of the oldest fetched record that is not handled; 0 when there is none',
  unit: 's',
  labels: reader,
});
export const consumerStopped = gauge({
  name: 'inventory.consumer.stopped',
  description: 'Partitions stopped because of too many dead letters',
  labels: reader,
});
