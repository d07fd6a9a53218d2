import type { Logger } from '@inventory/runtime/logger';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import { cancelledPlaceholder } from '../admission/admit-attempt.ts';
import { type SagaDeps, sendEffects } from '../saga/apply-fact.ts';
import type { LedgerClient } from '../saga/hold-client.ts';
import { isTerminal } from '../saga/refresh.domain.ts';
import { type Owner, release } from '../saga/saga-messages.ts';

/**
 * No hold expires. The command that resolves an old hold is resent when its refresh is terminal or
 * unknown; for a resolved hold the ledger re-emits the recorded outcome.
 */
export async function sweepHolds(
  deps: SagaDeps,
  ledger: LedgerClient,
  olderThanSeconds: number,
  logger: Logger,
): Promise<void> {
  const { items } = await ledger.listHoldsOlderThan(olderThanSeconds);
  for (const hold of items) {
    const { refreshId } = hold;
    const stored = await deps.refreshes.findRefresh(refreshId);
    if (stored && !isTerminal(stored.phase)) continue;
    logger.warn({ refresh_id: refreshId }, 'resolving old hold');
    if (!stored) await releaseOrphanedHold(deps, hold, {});
    else if (stored.phase === 'refused') await deps.publish([release(hold)]);
    else await sendEffects(deps, stored, ['settle']);
  }
}

/**
 * Releases the hold of a refresh that was not found. False, and nothing is released, where the
 * refresh exists: a read may miss it around an election, an insert does not. The placeholder is
 * inserted first and refuses a request that is delivered later. After a crash between the two
 * writes the refused refresh releases the hold: its outcome is redelivered, and the sweep finds it.
 */
export async function releaseOrphanedHold(
  { refreshes, publish, clock }: SagaDeps,
  of: Owner,
  trace: TraceCarrier,
): Promise<boolean> {
  if (!(await refreshes.insertRefresh(cancelledPlaceholder(of, clock.now(), trace)))) return false;
  await publish([release(of)]);
  return true;
}
