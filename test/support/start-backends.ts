import { provisionBackends } from '@inventory/backends/provision-backends';
import { SetupError } from '@inventory/backends/setup-error';
import { holdForTeardown } from './held-for-teardown.ts';

/**
 * Jest's global setup: one Kafka and one MongoDB for all test files of a run. Servers given in the
 * environment are used, else containers where a Docker daemon answers, else native processes, with
 * temporary data. Tests that stop and start servers have their own. Workers find the addresses in
 * their environment.
 */
// biome-ignore lint/style/noDefaultExport: Jest takes its hooks as default exports.
export default async function startBackends(): Promise<void> {
  if (process.env['KAFKA_BROKERS'] && process.env['MONGODB_URI']) return;
  const backends = await provisionBackends({
    environment: process.env,
    onProgress: (sentence) => process.stderr.write(`${sentence}\n`),
  }).catch((error: unknown) => {
    // Jest prints the stack, which has no reason for the user.
    if (error instanceof SetupError) error.stack = error.message;
    throw error;
  });
  holdForTeardown(() => backends.stop());
  process.env['KAFKA_BROKERS'] = backends.kafkaBrokers;
  process.env['MONGODB_URI'] = backends.mongodbUri;
}
