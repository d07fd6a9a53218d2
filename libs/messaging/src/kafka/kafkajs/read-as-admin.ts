import { jitteredDelayMs } from '@inventory/runtime/backoff';
import { pause } from '@inventory/runtime/wait';
import type { Admin, Kafka } from 'kafkajs';

const triesMax = 7;
const backoff = { firstMs: 50, maxMs: 1_000 } as const;

/**
 * Runs administrative reads. Transient errors (a topic was just created, its leader moved) are
 * retried, which the client does not do for these requests.
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
