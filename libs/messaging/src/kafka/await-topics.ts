import { monotonicNow } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import type { ClusterReads } from './wire-client.ts';

/** Topics, and the right to see them, are given by deployment, not by a service. */
export class TopicsMissing extends Error {
  override name = 'TopicsMissing';
}

export interface AwaitTopicsOptions {
  readonly topics: readonly string[];
  readonly timeoutMs: number;
  readonly logger: Logger;
  /** Ends the wait. */
  readonly stopping: AbortSignal;
}

const topicsPauseMs = 500;

/**
 * Waits for topics that the deployment is creating: on a first install services start beside its
 * job. Rejects with {@link TopicsMissing} after `timeoutMs`.
 */
export async function awaitTopics(
  cluster: Pick<ClusterReads, 'topics'>,
  { topics, timeoutMs, logger, stopping }: AwaitTopicsOptions,
): Promise<void> {
  const startMs = monotonicNow();
  for (let tries = 1; ; tries += 1) {
    const existing = new Set(await cluster.topics());
    const missing = topics.filter((topic) => !existing.has(topic));
    if (missing.length === 0) return;
    if (stopping.aborted || monotonicNow() - startMs >= timeoutMs) {
      throw new TopicsMissing(`Kafka has no topic ${missing.join(', ')} that this user may use`);
    }
    if (tries === 1) logger.warn({ missing, timeoutMs }, 'waiting for topics');
    await pause(topicsPauseMs, stopping);
  }
}
