import type { HoldList } from '@inventory/contracts/internal/ledger';
import type { Logger } from '@inventory/runtime/logger';
import { type SagaDeps, sendEffects } from './apply-fact.ts';
import { isTerminal } from './refresh.domain.ts';
import { releaseOrphanedHold } from './release-orphaned-hold.ts';
import { release } from './saga-messages.ts';

export interface HoldSource {
  listHoldsOlderThan(seconds: number): Promise<HoldList>;
}

/**
 * No hold expires. The command that resolves an old hold is resent when its refresh is terminal or
 * unknown; for a resolved hold the ledger re-emits the recorded outcome.
 */
export async function sweepHolds(
  deps: Pick<SagaDeps, 'refreshes' | 'publish' | 'clock'>,
  ledger: HoldSource,
  olderThanSeconds: number,
  logger: Logger,
): Promise<void> {
  const { items } = await ledger.listHoldsOlderThan(olderThanSeconds);
  for (const hold of items) {
    const stored = await deps.refreshes.findRefresh(hold.refresh_id);
    if (stored && !isTerminal(stored.refresh.phase)) continue;
    logger.warn({ refresh_id: hold.refresh_id }, 'resolving old hold');
    const of = { id: hold.refresh_id, accountId: hold.account_id, projectId: hold.project_id };
    if (!stored) await releaseOrphanedHold(deps, of, {});
    else if (stored.refresh.phase === 'refused') await deps.publish([release(of)]);
    else await sendEffects(deps, stored, ['settle']);
  }
}
