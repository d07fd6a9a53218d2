import type { Logger } from '@inventory/runtime/logger';
import { inSpan } from '@inventory/runtime/tracing';
import { type SagaDeps, sendEffects } from './apply-fact.ts';
import type { DueStore } from './due-store.ts';
import { pendingEffects } from './refresh-saga.domain.ts';

const batchMax = 200;

/**
 * Whoever waits asks again: sends the pending command of every refresh that heard nothing for a
 * while. Owners answer from their records, so no lost, expired or dead-lettered record can leave a
 * refresh stuck. True when there may be more.
 */
export async function resendWaitingRefreshes(
  deps: Pick<SagaDeps, 'refreshes' | 'publish'>,
  due: DueStore,
  logger: Logger,
): Promise<boolean> {
  const asking = await due.takeDueAsks(batchMax);
  for (const stored of asking) {
    const { id, phase } = stored.refresh;
    await inSpan({ name: `ask again ${phase}`, parent: stored.trace }, () => {
      logger.info({ refresh_id: id, phase }, 'asking again');
      return sendEffects(deps, stored, pendingEffects(stored.refresh));
    });
  }
  return asking.length === batchMax;
}
