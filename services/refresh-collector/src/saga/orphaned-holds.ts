import { type Environment, environmentOf } from '@inventory/contracts/environment';
import type { CancelRequest } from '@inventory/contracts/messages/refresh';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import { sendEffects } from './apply-fact.ts';
import type { HoldClient } from './hold-client.ts';
import { cancelledPlaceholder } from './new-refresh.domain.ts';
import type { Saga } from './open-saga.ts';
import { isTerminal } from './refresh.domain.ts';
import { releaseHold } from './saga-messages.ts';

/**
 * No hold expires. The command that resolves an old hold is resent when its refresh is terminal or
 * unknown; for a resolved hold the ledger re-emits the recorded outcome. To this collector the
 * refreshes of the other environment are unknown: their holds are left alone.
 */
export async function sweepHolds(
  saga: Saga,
  holds: HoldClient,
  olderThanSeconds: number,
  environment: Environment,
): Promise<void> {
  const { items } = await holds.listHoldsOlderThan(olderThanSeconds);
  for (const hold of items) {
    const { accountId, projectId, refreshId } = hold;
    if (environmentOf(accountId) !== environment) continue;
    const stored = await saga.refreshes.findRefresh(refreshId);
    if (stored && !isTerminal(stored.phase)) continue;
    saga.logger.warn({ refreshId }, 'resolving old hold');
    if (!stored) {
      const requestedAtMs = saga.clock.now();
      await releaseOrphanedHold(saga, { accountId, projectId, refreshId, requestedAtMs }, {});
    } else if (stored.phase === 'refused') {
      await saga.publish([releaseHold(accountId, projectId, refreshId)]);
    } else await sendEffects(saga, stored, ['settle']);
  }
}

/**
 * Releases the hold of a refresh that was not found. False, and nothing is released, where the
 * refresh exists: a read may miss it around an election, an insert does not. The placeholder is
 * inserted first and refuses a request that is delivered later. After a crash between the two
 * writes the refused refresh releases the hold: its outcome is redelivered, and the sweep finds it.
 */
export async function releaseOrphanedHold(
  { refreshes, publish, clock }: Saga,
  cancel: CancelRequest,
  trace: TraceCarrier,
): Promise<boolean> {
  const placeholder = cancelledPlaceholder(cancel, trace, clock.now());
  if (!(await refreshes.insertRefresh(placeholder))) return false;
  await publish([releaseHold(cancel.accountId, cancel.projectId, cancel.refreshId)]);
  return true;
}
