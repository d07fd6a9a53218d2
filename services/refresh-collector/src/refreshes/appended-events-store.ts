import type { TypedCollection } from '@inventory/mongo/typed-collection';
import { type Clock, dateOf } from '@inventory/runtime/clock';
import { createBatcher } from '@inventory/runtime/concurrency';
import type { RefreshDocument } from './refresh-document.ts';
import type { RefreshTimes } from './refresh-mapping.ts';

/** Nothing waits for the record: it ends resends that begin after ten seconds. */
const gatherMs = 200;
const refreshesPerCommand = 500;
const waitingMax = 100_000;

/**
 * Records that the events of completed refreshes are in the log, as the saga decides on
 * `event_appended`: the same write for each of them. One that is recorded already stays as it is.
 */
export function createAppendedEvents(
  refreshes: TypedCollection<RefreshDocument>,
  clock: Clock,
  { retention }: Pick<RefreshTimes, 'retention'>,
) {
  return createBatcher<string, void>({
    ...{ gatherMs, itemsMax: refreshesPerCommand, waitingMax },
    async flush(ids) {
      await refreshes.updateMany(
        { _id: { $in: [...ids] }, phase: 'completed', eventAppended: false },
        {
          $set: { eventAppended: true, expireAt: dateOf(clock.now() + retention.terminalMs) },
          $unset: { work: '' },
          $inc: { version: 1 },
        },
      );
      return ids.map(() => undefined);
    },
  });
}
