import { metrics } from '@opentelemetry/api';

const meter = metrics.getMeter('@inventory/messaging');

export const publishedMessages = meter.createCounter('messaging.client.sent.messages', {
  description: 'Records acknowledged by the broker',
});
export const consumedMessages = meter.createCounter('messaging.client.consumed.messages', {
  description: 'Records whose effect is durable',
});
export const processDuration = meter.createHistogram('messaging.process.duration', {
  description: 'Time from handing records over until their effect is durable',
  unit: 's',
  advice: {
    explicitBucketBoundaries: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
});
export const deadLetters = meter.createCounter('inventory.dead_letters', {
  description: 'Records given up and kept in a dead-letter topic',
});
export const consumerLag = meter.createGauge('inventory.consumer.lag', {
  description: 'Records behind the end of a partition when a batch was fetched',
});
