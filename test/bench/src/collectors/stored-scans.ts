import { randomUUID } from 'node:crypto';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { collectorIndexes, openCollections } from '@inventory/refresh-collector/collections';
import { newRefresh } from '@inventory/refresh-collector/saga/new-refresh.domain';
import type { Refresh } from '@inventory/refresh-collector/saga/refresh.domain';
import {
  newDocument,
  type RefreshDocument,
} from '@inventory/refresh-collector/saga/refresh-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Db } from 'mongodb';

export interface StoredScans {
  readonly running: number;
  readonly queued: number;
  /** Running scans whose lease waits for a worker; others have all the remainder. */
  readonly waiting: number;
}

const accounts = 200;
const hourMs = 3_600_000;
const times = {
  retention: { terminalMs: hourMs, refusedMs: hourMs },
  resend: { firstMs: hourMs, maxMs: hourMs },
};

/** Puts refreshes and leases into an empty database, as collectors would have left them. */
export async function storeScans(db: Db, stored: StoredScans): Promise<void> {
  await ensureIndexes(db, collectorIndexes);
  const { refreshes, inventories } = openCollections(db);
  const nowMs = Date.now();
  const queued = Array.from({ length: stored.queued }, (_, index) =>
    documentOf(refreshOf(index, nowMs), nowMs),
  );
  const running = Array.from({ length: stored.running }, (_, index) =>
    collecting(documentOf(refreshOf(stored.queued + index, nowMs), nowMs), nowMs),
  );
  await refreshes.insertMany([...queued, ...running]);
  await inventories.insertMany(
    running.map(({ _id: refreshId, scopeKey: inventory }, index) => ({
      _id: inventory,
      seenAt: dateOf(nowMs),
      scan: { refreshId, deadlineMs: nowMs + hourMs },
      ...(index < stored.waiting
        ? {}
        : { lease: { owner: 'another', until: dateOf(nowMs + hourMs) } }),
    })),
  );
}

function documentOf(refresh: Refresh, nowMs: number): RefreshDocument {
  return { ...newDocument(refresh, null, nowMs, times), changedAt: dateOf(nowMs) };
}

function collecting(document: RefreshDocument, nowMs: number): RefreshDocument {
  return {
    ...document,
    phase: 'collecting',
    collectDeadlineMs: nowMs + hourMs,
    scan: {
      epoch: 1,
      sequence: 1,
      worker: null,
      startedAtMs: nowMs,
      completedAtMs: null,
      pages: 0,
      assetsRead: 0,
      reportedTotalCount: null,
      endCheck: { cursor: null, attempts: 0 },
      parked: false,
    },
  };
}

function refreshOf(index: number, nowMs: number): Refresh {
  const scope = {
    platform_id: String(76_500_000_000_000_000n + BigInt(index)),
    app_id: 730,
    context_id: 2,
  };
  const request = {
    refreshId: randomUUID(),
    accountId: `acc_${String(index % accounts).padStart(8, '0')}-0000-7000-8000-000000000000`,
    projectId: 'prj_00000000-0000-7000-8000-000000000000',
    requestId: 'req_00000000-0000-7000-8000-000000000000',
    idempotencyKey: null,
    fingerprint: inventoryKeyText(scope),
    scope,
    language: 'english',
    watchId: null,
    credentialId: null,
    maxCredits: 125,
    freshness: null,
    requestedAtMs: nowMs,
  } as const;
  const refresh = newRefresh(request, undefined, {}, nowMs + hourMs);
  return {
    ...refresh,
    phase: 'queued',
    acceptance: { priceVersion: 1, asset: 'credits', amount: 125, available: 0 },
    billing: { ...refresh.billing, reserved: 125 },
  };
}
