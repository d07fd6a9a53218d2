import { provisionBackends } from '@inventory/backends/provision-backends';
import { ProvisionError } from '@inventory/backends/provision-error';
import { holdForTeardown } from './held-for-teardown.ts';

/**
 * Jest's global setup: one Kafka and one MongoDB for all test files of a run. Addresses in the
 * environment are used as they are; else native processes with temporary data, because tests take
 * servers down and bring them back. Workers find the addresses in their environment.
 */
// biome-ignore lint/style/noDefaultExport: Jest takes its hooks as default exports.
export default async function startBackends(): Promise<void> {
  if (process.env['KAFKA_BROKERS'] && process.env['MONGODB_URI']) return;
  const backends = await provisionBackends({
    environment: process.env,
    docker: 'never',
    onProgress: (sentence) => process.stderr.write(`${sentence}\n`),
  }).catch((error: unknown) => {
    // The person at the screen needs the sentence, not where in the code it was found.
    if (error instanceof ProvisionError) error.stack = error.message;
    throw error;
  });
  holdForTeardown(() => backends.stop());
  process.env['KAFKA_BROKERS'] = backends.kafkaBrokers;
  process.env['MONGODB_URI'] = backends.mongodbUri;
}
