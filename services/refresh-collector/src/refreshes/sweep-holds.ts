import type { HoldList } from '@inventory/contracts/internal/ledger';
import type { Logger } from '@inventory/runtime/logger';
import { type SagaDeps, sendEffects } from './apply-fact.ts';
import { isTerminal } from './refresh.domain.ts';
import { releaseUnowned } from './release-unowned.ts';
import { release } from './saga-messages.ts';

export interface HoldSource {
  holdsOlderThan(seconds: number): Promise<HoldList>;
}

/**
 * No hold ends by time alone, and none stays for ever: the resolution of an old hold whose refresh
 * is terminal or unknown is sent again. The ledger answers a resolved one from its records.
 */
export async function sweepHolds(
  deps: Pick<SagaDeps, 'refreshes' | 'publish' | 'clock'>,
  ledger: HoldSource,
  olderThanSeconds: number,
  logger: Logger,
): Promise<void> {
  const { items } = await ledger.holdsOlderThan(olderThanSeconds);
  for (const hold of items) {
    const stored = await deps.refreshes.find(hold.refresh_id);
    if (stored && !isTerminal(stored.refresh.phase)) continue;
    logger.warn({ refresh_id: hold.refresh_id }, 'resolving an old hold again');
    const of = { id: hold.refresh_id, accountId: hold.account_id, projectId: hold.project_id };
    if (!stored) await releaseUnowned(deps, of, {});
    else if (stored.refresh.phase === 'refused') await deps.publish([release(of)]);
    else await sendEffects(deps, stored, ['settle']);
  }
}
