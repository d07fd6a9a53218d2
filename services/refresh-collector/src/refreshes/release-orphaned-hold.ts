import type { TraceCarrier } from '@inventory/runtime/tracing';
import { cancelledPlaceholder } from './admit-refresh.ts';
import type { SagaDeps } from './apply-fact.ts';
import type { Refresh } from './refresh.domain.ts';
import { release } from './saga-messages.ts';

/**
 * Releases the hold of a refresh that was not found. False, and nothing is released, where the
 * refresh exists: a read may miss it around an election, an insert does not. The placeholder is
 * inserted first and refuses a request that is delivered later. After a crash between the two
 * writes the refused refresh releases the hold: its outcome is redelivered, and the sweep finds it.
 */
export async function releaseOrphanedHold(
  { refreshes, publish, clock }: Pick<SagaDeps, 'refreshes' | 'publish' | 'clock'>,
  of: Pick<Refresh, 'id' | 'accountId' | 'projectId'>,
  trace: TraceCarrier,
): Promise<boolean> {
  if (!(await refreshes.insertRefresh(cancelledPlaceholder(of, clock.now()), trace))) return false;
  await publish([release(of)]);
  return true;
}
