import {
  chunkBytesMax,
  scanPagesMax,
  stagedPageBytesMax,
} from '@inventory/contracts/internal/inventory';
import { BSON } from 'mongodb';
import { acceptedRefresh } from '../../test/refresh-builder.ts';
import { keysMax } from '../scans/page-keys.domain.ts';
import { noEndCheck } from './recorded-scan.domain.ts';
import { type StagedPageRecord, storedPage } from './refresh-document.ts';
import { sagaMessages } from './saga-messages.ts';

/** What brokers take by default, headers aside. */
const recordBytesMax = 1_000_000;
/** What MongoDB stores, with as much again left. */
const documentBytesMax = 8.5 * 2 ** 20;

it('the manifest of the largest scan fits into one record, and its pages into the refresh (Everything is bounded)', () => {
  const chunks = Array.from({ length: stagedPageBytesMax / chunkBytesMax }, () => ({
    digest: 'f'.repeat(64),
    bytes: chunkBytesMax,
  }));
  const pages = Array.from(
    { length: scanPagesMax },
    (_, page): StagedPageRecord => ({
      page,
      index: page,
      epoch: 2 ** 31 - 1,
      chunks,
      nextCursor: '9'.repeat(20),
      assetKeys: new Float64Array(keysMax / scanPagesMax),
    }),
  );
  const refresh = acceptedRefresh({
    phase: 'assembling',
    scan: {
      epoch: 1,
      sequence: Number.MAX_SAFE_INTEGER,
      startedAtMs: 0,
      completedAtMs: 1,
      pages: scanPagesMax,
      assetsRead: Number.MAX_SAFE_INTEGER,
      reportedTotalCount: Number.MAX_SAFE_INTEGER,
      endCheck: noEndCheck,
      parked: false,
      worker: null,
    },
  });

  const [manifest] = sagaMessages(refresh, ['complete_scan'], pages);

  expect(Buffer.byteLength(JSON.stringify(manifest?.body))).toBeLessThan(recordBytesMax);
  const stored = { ...refresh, pages: pages.map(storedPage) };
  expect(BSON.calculateObjectSize(stored)).toBeLessThan(documentBytesMax);
});

it('a run of a watch is held under its own product and named in its announcement, any other refresh is not (Watches) [watch-runs, watch-prices]', () => {
  const watchId = 'wat_0199c2a4-6f10-7b21-8c3d-4e5f6a7b8009';
  const bodiesOf = (of: Parameters<typeof acceptedRefresh>[0]) =>
    sagaMessages(
      acceptedRefresh({ outcome: 'private', completedAtMs: 0, ...of }),
      ['reserve', 'announce'],
      [],
    ).map(({ body }) => body);

  expect(bodiesOf({ watchId })).toMatchObject([
    { productCode: 'platform.inventory.watch.v1' },
    { watchId },
  ]);
  const [reserve, announcement] = bodiesOf({});
  expect(reserve).toMatchObject({ productCode: 'platform.inventory.refresh.v1' });
  expect(announcement).toMatchObject({ watchId: null });
});
