import type { Logger } from '@inventory/runtime/logger';
import { inSpan } from '@inventory/runtime/tracing';
import { type SagaDeps, sendEffects } from './apply-fact.ts';
import { deadlineOf } from './refresh.domain.ts';
import { pendingEffects } from './refresh-saga.domain.ts';
import type { ResendStore } from './resend-store.ts';

const commandsMax = 200;

export interface ResendDeps extends Pick<SagaDeps, 'refreshes' | 'publish' | 'clock'> {
  readonly resends: ResendStore;
  readonly settleGraceMs: number;
  readonly logger: Logger;
}

/**
 * Resends the pending command of every refresh that is due. The handlers are idempotent and re-emit
 * the recorded outcome, so no lost, expired or dead-lettered record leaves a refresh stuck. From
 * the deadline of an assembly on its scan is abandoned instead. True when more may be due.
 */
export async function resendPendingCommands(deps: ResendDeps): Promise<boolean> {
  const { resends, clock, settleGraceMs, logger } = deps;
  const due = await resends.claimDueResends(commandsMax);
  for (const stored of due) {
    const { id, phase } = stored.refresh;
    const deadlineMs = deadlineOf(stored.refresh, settleGraceMs);
    const isOverdue = deadlineMs !== null && clock.now() >= deadlineMs;
    await inSpan({ name: `resend pending command ${phase}`, parent: stored.trace }, () => {
      logger.info({ refresh_id: id, phase, overdue: isOverdue }, 'resending pending command');
      return sendEffects(deps, stored, pendingEffects(stored.refresh, isOverdue));
    });
  }
  return due.length === commandsMax;
}
