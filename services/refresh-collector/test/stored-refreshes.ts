import type { OutgoingMessage } from '@inventory/messaging/bus';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { createTestClock, type TestClock } from '@inventory/testkit/test-clock';
import { openTestStore } from '@inventory/testkit/test-store';
import type { Collection, Db } from 'mongodb';
import { collectorIndexes, openCollections } from '../src/collections.ts';
import { openSaga, type Saga } from '../src/saga/open-saga.ts';
import type { Refresh } from '../src/saga/refresh.domain.ts';
import type { RefreshDocument } from '../src/saga/refresh-document.ts';
import { createRefreshStore, type RefreshStore } from '../src/saga/refresh-store.ts';

/** Refreshes on a MongoDB, and a saga over them whose messages are recorded instead of sent. */
export interface StoredRefreshes {
  readonly clock: TestClock;
  readonly db: Db;
  readonly collection: Collection<RefreshDocument>;
  /** A store as a new process has it; over another collection object where one is given. */
  openStore(collection?: Collection<RefreshDocument>): RefreshStore;
  openSaga(refreshes?: RefreshStore): Saga & { readonly sent: OutgoingMessage[] };
  close(): Promise<void>;
}

const dayMs = 86_400_000;
const times = {
  retention: { terminalMs: 30 * dayMs, refusedMs: dayMs },
  resend: { firstMs: 10_000, maxMs: 20_000 },
} as const;

export async function openStoredRefreshes(): Promise<StoredRefreshes> {
  const mongo = await openTestStore('stored_refreshes', collectorIndexes);
  // Expiry is the server's, by its own clock.
  const clock = createTestClock(Date.now());
  const { refreshes } = openCollections(mongo.db);
  const openStore = (collection = refreshes) => createRefreshStore(collection, clock, times);

  return {
    clock,
    db: mongo.db,
    collection: refreshes,
    openStore,
    openSaga(store = openStore()) {
      const sent: OutgoingMessage[] = [];
      const publish = (messages: readonly OutgoingMessage[]) => {
        sent.push(...messages);
        return Promise.resolve();
      };
      const saga = openSaga(only({ clock, logger: testLogger }), only({ publish }), store);
      return { ...saga, sent };
    },
    async close() {
      await mongo.db.dropDatabase();
      await mongo.close();
    },
  };
}

/** A store whose first reads of a refresh miss what another primary has already. */
export function missingAtFirst(store: RefreshStore, misses: number): RefreshStore {
  let left = misses;
  return {
    ...store,
    cachedRefresh: () => null,
    async findRefresh(id: string): Promise<Refresh | null> {
      left -= 1;
      return left >= 0 ? null : store.findRefresh(id);
    },
  };
}
