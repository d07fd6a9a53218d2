import type { RevisionId, WatchId } from '@inventory/contracts/ids';
import { acceptedRefresh } from '../../test/refresh-builder.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import { advance } from '../saga/refresh-saga.domain.ts';
import { sagaMessages } from '../saga/saga-messages.ts';
import { refreshRecordOf } from './refresh-view.ts';

const revisionId: RevisionId = 'invrev_01900000-0000-7000-8000-000000000002';
const older: RevisionId = 'invrev_01900000-0000-7000-8000-000000000001';

/** A refresh whose scan was committed. */
function committed(previousRevisionId: RevisionId | null = null): Refresh {
  const step = advance(acceptedRefresh({ phase: 'assembling' }), {
    fact: 'committed',
    revisionId,
    previousRevisionId,
    changed: true,
    observedAssets: 1,
  });
  if (step.step !== 'changed') throw new Error('the commit was not taken');
  return step.next;
}

test('status and announcement lead to what changed, from the revision that the commit replaced (Status: links) [links-to-changes]', () => {
  const next = committed(older);
  const inventory = `/v2/platform/users/${next.scope.platform_id}/inventory/730/2`;

  expect(refreshRecordOf(next, 0).links).toEqual({
    current: `${inventory}/current`,
    changes: `${inventory}/changes?since=${older}`,
  });
  const [message] = sagaMessages({ ...next, completedAtMs: 0 }, ['announce'], []);
  expect(message?.body).toMatchObject({ revisionId, previousRevisionId: older });
});

test('a record names the product that its refresh is charged under (the refresh record has product_code) [watch-prices]', () => {
  const watchId: WatchId = 'wat_0199c2a4-6f10-7b21-8c3d-4e5f6a7b8009';

  expect(
    [null, watchId].map((id) => refreshRecordOf(acceptedRefresh({ watchId: id }), 0)),
  ).toMatchObject([
    { productCode: 'platform.inventory.refresh.v1', watchId: null },
    { productCode: 'platform.inventory.watch.v1', watchId },
  ]);
});

test('a first revision leads to Current alone, and a refresh without a revision nowhere (Status: links)', () => {
  const first = committed();

  expect(refreshRecordOf(first, 0).links).toEqual({
    current: `/v2/platform/users/${first.scope.platform_id}/inventory/730/2/current`,
  });
  expect(refreshRecordOf(acceptedRefresh(), 0)).not.toHaveProperty('links');
});
