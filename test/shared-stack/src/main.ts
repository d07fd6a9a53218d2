import { writeFileSync } from 'node:fs';
import { createLogger } from '@inventory/runtime/logger';
import { runService } from '@inventory/runtime/run-service';
import { z } from 'zod';
import { startSharedStack } from './start-shared-stack.ts';

/**
 * The shared stack as a process, until SIGTERM. Its log goes to standard output; its addresses are
 * written to ADDRESSES_FILE once every service is ready.
 */
const settings = z.object({
  KAFKA_BROKERS: z.string(),
  MONGODB_URI: z.string(),
  STACK_PREFIX: z.string(),
  ADDRESSES_FILE: z.string(),
});

const { KAFKA_BROKERS, MONGODB_URI, STACK_PREFIX, ADDRESSES_FILE } = settings.parse(process.env);

void runService({
  logger: createLogger({ service: 'shared-stack', level: 'info' }),
  stopDeadlineMs: 15_000,
  start: async (lifetime) => {
    const addresses = await startSharedStack({
      kafkaBrokers: KAFKA_BROKERS,
      mongodbUri: MONGODB_URI,
      prefix: STACK_PREFIX,
      lifetime,
    });
    writeFileSync(ADDRESSES_FILE, JSON.stringify(addresses), { mode: 0o600 });
  },
});
