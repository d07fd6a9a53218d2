import { isMongoUnavailable } from '@inventory/mongo/is-mongo-unavailable';
import { LeaseLost } from '@inventory/runtime/hold-lease';
import type { Logger } from '@inventory/runtime/logger';

/**
 * Prunes one after another. One that cannot be pruned now, because it is being assembled or fails by
 * an internal fault, is left to the next round and blocks no other.
 */
export async function pruneEach(
  logger: Logger,
  ids: AsyncIterable<string>,
  prune: (id: string) => Promise<void>,
  stopping: AbortSignal,
): Promise<void> {
  for await (const id of ids) {
    if (stopping.aborted) return;
    try {
      await prune(id);
    } catch (error) {
      if (isMongoUnavailable(error)) throw error;
      if (!(error instanceof LeaseLost)) logger.error({ err: error }, 'pruning failed');
    }
  }
}
