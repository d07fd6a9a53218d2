import type { Logger } from '@inventory/runtime/logger';
import { inSpan } from '@inventory/runtime/tracing';
import { type SagaDeps, sendEffects } from './apply-fact.ts';
import { pendingEffects } from './refresh-saga.domain.ts';
import type { ResendStore } from './resend-store.ts';

const commandsMax = 200;

/**
 * Resends the pending command of every refresh that is due. The handlers are idempotent and re-emit
 * the recorded outcome, so no lost, expired or dead-lettered record leaves a refresh stuck. True
 * when more may be due.
 */
export async function resendPendingCommands(
  deps: Pick<SagaDeps, 'refreshes' | 'publish'>,
  resends: ResendStore,
  logger: Logger,
): Promise<boolean> {
  const due = await resends.claimDueResends(commandsMax);
  for (const stored of due) {
    const { id, phase } = stored.refresh;
    await inSpan({ name: `resend pending command ${phase}`, parent: stored.trace }, () => {
      logger.info({ refresh_id: id, phase }, 'resending pending command');
      return sendEffects(deps, stored, pendingEffects(stored.refresh));
    });
  }
  return due.length === commandsMax;
}
