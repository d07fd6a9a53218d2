import { jitteredDelayMs } from '@inventory/runtime/backoff';
import { pause } from '@inventory/runtime/wait';
import type { Admin, Kafka } from 'kafkajs';

const triesMax = 7;
const backoff = { firstMs: 50, maxMs: 1_000 } as const;

/**
 * Asks the cluster something at start-up. What passes by itself is asked again, which the client
 * itself leaves out here: a topic was just created, its leader just moved.
 */
export async function readAsAdmin<Value>(
  kafka: Kafka,
  read: (admin: Admin) => Promise<Value>,
): Promise<Value> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        return await read(admin);
      } catch (error) {
        if ((error as { retriable?: unknown }).retriable !== true || tries === triesMax)
          throw error;
        await pause(jitteredDelayMs(backoff, tries));
      }
    }
  } finally {
    await admin.disconnect();
  }
}
