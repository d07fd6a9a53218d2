import { countBrokers } from '@inventory/messaging/kafka/count-brokers';
import type { KafkaAccess } from '@inventory/runtime/kafka-access';

const requestTimeoutMs = 5_000;

/** Resolves when the cluster lists a broker; one that is starting responds but lists none. */
export async function assertKafkaReady(access: KafkaAccess): Promise<void> {
  const brokers = await countBrokers({ ...access, timing: { requestTimeoutMs } });
  if (brokers === 0) throw new Error('the broker does not serve clients yet');
}
