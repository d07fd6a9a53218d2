import type { MongoConnection } from '@inventory/mongo/connect';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import {
  newAccountId,
  newProjectId,
  newRefreshId,
  newRequestId,
  newScope,
} from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { openTestStore } from '@inventory/testkit/test-store';
import { createCaptureStore } from '../src/captures/capture-store.ts';
import { createPageIntentStore } from '../src/pages/page-intent-store.ts';
import { createPendingCancelStore } from '../src/refreshes/pending-cancel-store.ts';
import { createWatchStore, watchKeyOf } from '../src/watches/watch-store.ts';
import { watchOf } from './support/watch-of.ts';

const [minuteMs, dayMs] = [60_000, 86_400_000];
const nowMs = Date.UTC(2026, 10, 29);
const storeMs = 20_000;
let mongo: MongoConnection;

beforeAll(async () => {
  mongo = await openTestStore('gateway');
});
afterAll(() => mongo.close());

/** A queue of pending work. */
interface Queue {
  /** Inserts what is due then; its id. */
  insert(dueAtMs: number): Promise<string>;
  readonly due: { findDue(nowMs: number, limit: number): Promise<{ readonly id: string }[]> };
}

const owner = () => ({ accountId: newAccountId(), projectId: newProjectId() });

function reversals(reverseAfterMs: number): Queue {
  const times = { storeMs, deliverWithinMs: minuteMs, reverseAfterMs };
  const store = createPageIntentStore(mongo.db, times, testLogger);
  const read = { productCode: 'platform.inventory.page.v1', chainId: null, keyId: null } as const;
  return {
    async insert(reverseAtMs) {
      const requestId = newRequestId();
      const buyer = { ...owner(), credentialId: null };
      await store.insertIntent({ requestId, ...buyer, ...read, deadlineMs: nowMs, reverseAtMs });
      return requestId;
    },
    due: store.reversals,
  };
}

function cancels(waitMaxMs: number): Queue {
  const store = createPendingCancelStore(mongo.db, { storeMs, waitMaxMs }, testLogger);
  return {
    async insert(dueAtMs) {
      const refreshId = newRefreshId();
      await store.insertCancel({ refreshId, ...owner(), requestedAtMs: nowMs }, dueAtMs);
      return refreshId;
    },
    due: store.cancels,
  };
}

function captures(): Queue {
  const store = createCaptureStore(mongo.db, { lookUpMs: minuteMs }, testLogger);
  return {
    async insert(dueAtMs) {
      const chainId = systemIdentifiers.uuidV7();
      const capture = {
        ...{ chainId, accountId: newAccountId(), scope: newScope() },
        ...{ scanWindow: { startedAtMs: nowMs, completedAtMs: nowMs }, giveUpAtMs: nowMs },
        ...{ language: 'english' as const, reportedTotalCount: 1, evidence: '', replaced: [] },
      };
      await store.insertCapture(capture, {}, dueAtMs);
      return chainId;
    },
    due: store.pending,
  };
}

/** A claim that is settled: the next due time is so long after it, by the clock of its replica. */
function watches(longestMs: number): Queue {
  const store = createWatchStore(mongo.db, { storeMs: minuteMs }, testLogger);
  const projectId = newProjectId();
  let at = 0;
  return {
    async insert(nextRefreshAtMs) {
      at += 1;
      const watch = watchOf(at, projectId);
      await store.insertWatch(watch, 10);
      const pending = await store.findPending(projectId, watch.scope);
      if (pending)
        await store.settleClaim(
          pending,
          { ...watch, nextRefreshAtMs },
          [],
          nextRefreshAtMs - longestMs,
        );
      return watchKeyOf(projectId, watch.scope);
    },
    due: store.queue,
  };
}

test.each<[string, number, () => Queue]>([
  ['the reversal of a page', 11 * minuteMs, () => reversals(10 * minuteMs)],
  ['that of an account in quarantine', 10 * minuteMs, () => reversals(minuteMs)],
  ['the cancel of an attempt', minuteMs, () => cancels(minuteMs)],
  ['the capture of a chain', 10_000, captures],
  ['the due time of a watch of minutes', 6 * 60 * minuteMs, () => watches(6 * 60 * minuteMs)],
  ['that of one of days', 14 * dayMs, () => watches(14 * dayMs)],
])(
  '%s that was written by a clock a day ahead is due now, and one that may wait is not (Live Page, Refresh: after a crash)',
  async (_what, longestMs, open) => {
    const { insert, due } = open();
    await insert(nowMs + longestMs);
    const ahead = await insert(nowMs + longestMs + dayMs);

    const found = await due.findDue(nowMs, 100);

    expect(found.map(({ id }) => id)).toEqual([ahead]);
    await mongo.db.dropDatabase();
  },
);
