import type { TraceCarrier } from '@inventory/runtime/tracing';
import { tombstone } from './admit-refresh.ts';
import type { SagaDeps } from './apply-fact.ts';
import type { Refresh } from './refresh.domain.ts';
import { release } from './saga-messages.ts';

/**
 * Releases the hold of a refresh that was not found; false, and nothing is released, where it
 * exists. A read may miss it around an election, an insert does not: the tombstone comes first, and
 * a request delivered later is refused by it. After a crash between the two the refused refresh
 * releases the hold: its outcome is delivered again, and the sweep lists the hold.
 */
export async function releaseUnowned(
  { refreshes, publish, clock }: Pick<SagaDeps, 'refreshes' | 'publish' | 'clock'>,
  of: Pick<Refresh, 'id' | 'accountId' | 'projectId'>,
  trace: TraceCarrier,
): Promise<boolean> {
  if (!(await refreshes.insert(tombstone(of, clock.now()), trace))) return false;
  await publish([release(of)]);
  return true;
}
