import { elapsedSince, monotonicNow } from '@inventory/runtime/clock';
import { pause } from '@inventory/runtime/wait';
import { type Admin, type Kafka, KafkaJSAggregateError } from 'kafkajs';

const settleTimeoutMs = 60_000;
const settlePauseMs = 100;

/** Runs administrative reads, repeated as by {@link untilSettled}. */
export async function readAsAdmin<Value>(
  kafka: Kafka,
  read: (admin: Admin) => Promise<Value>,
): Promise<Value> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await untilSettled(() => read(admin));
  } finally {
    await admin.disconnect();
  }
}

/**
 * Repeats an administrative request while topics are being created or moved: not every broker has
 * their leaders yet, and the client repeats none of these requests.
 */
export async function untilSettled<Reply>(
  request: () => Promise<Reply>,
  timeoutMs = settleTimeoutMs,
): Promise<Reply> {
  const startMs = monotonicNow();
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!isSettling(error) || elapsedSince(startMs) > timeoutMs) throw error;
      await pause(settlePauseMs);
    }
  }
}

function isSettling(error: unknown): boolean {
  if (error instanceof KafkaJSAggregateError) return error.errors.every(isSettling);
  // kafkajs 2.2.4 reads a property of null while it can connect to no broker.
  if (error instanceof TypeError) return true;
  const { retriable, type } = error as { readonly retriable?: unknown; readonly type?: unknown };
  // Created by a try whose response was late.
  return retriable === true || type === 'TOPIC_ALREADY_EXISTS';
}
