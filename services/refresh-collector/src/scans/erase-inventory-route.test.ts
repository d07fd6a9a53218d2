import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { newRefreshId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import { acceptedRefresh } from '../../test/refresh-builder.ts';
import { openSaga } from '../saga/open-saga.ts';
import { noEndCheck } from '../saga/recorded-scan.domain.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import { eraseInventory } from './erase-inventory-route.ts';
import type { Scans } from './scans.ts';

const scan = {
  ...{ epoch: 1, sequence: 1, startedAtMs: 0, completedAtMs: null },
  ...{ pages: 1, assetsRead: 1, reportedTotalCount: 9 },
  ...{ endCheck: noEndCheck, parked: false, worker: null },
};

test('what waits for a scan of an erased inventory starts once that has ended, and is not ended with it (Operator: erase) [erase]', async () => {
  const expectedPages = 7;
  const refresh = (fields: Partial<Refresh>) => ({
    ...acceptedRefresh({ expectedPages, ...fields }),
    refreshId: newRefreshId(),
  });
  const reading = refresh({ phase: 'collecting', scan });
  const waiting = refresh({ phase: 'queued' });
  const stored = new Map([reading, waiting].map((one) => [one.refreshId as string, one]));
  const clock = createTestClock();
  const refreshes = only<Scans['saga']['refreshes']>({
    cachedRefresh: () => null,
    findRefresh: async (id) => stored.get(id) ?? null,
    saveStep: async (_previous, next) => stored.set(next.refreshId, next).size > 0,
  });
  const bus = { publish: async () => {} };
  const saga = openSaga(only({ clock, logger: testLogger }), only(bus), refreshes);
  // The planner starts what waits as soon as the scan has ended.
  saga.onEntered(({ refreshId: id }) => {
    const queued = stored.get(waiting.refreshId);
    if (id !== reading.refreshId || !queued) return;
    stored.set(waiting.refreshId, { ...queued, phase: 'collecting', scan });
  });

  await eraseInventory(
    only<Scans>({
      saga,
      lists: only({ findUnread: async () => [reading, waiting] }),
      inventories: only({
        findLeasedRefreshes: async () => new Set<string>(),
        forgetInventory: async () => {},
      }),
    }),
    inventoryKeyText(reading.scope),
  );

  expect(stored.get(reading.refreshId)).toMatchObject({ phase: 'settling', outcome: 'incomplete' });
  expect(stored.get(waiting.refreshId)).toMatchObject({ phase: 'collecting', expectedPages: null });
});
