import { loadConfig } from '../src/config.ts';
import { openStores, type Stores } from '../src/open-stores.ts';
import { noEndCheck } from '../src/refreshes/recorded-page.domain.ts';
import type { Refresh } from '../src/refreshes/refresh.domain.ts';
import { resendPendingCommands } from '../src/refreshes/resend-pending-commands.ts';
import { acceptedRefresh } from './refresh-builder.ts';
import { requiredSettings } from './required-settings.ts';
import { openStoredRefreshes, type StoredRefreshes } from './stored-refreshes.ts';

const config = loadConfig(requiredSettings);
let stored: StoredRefreshes;
let stores: Stores;

beforeAll(async () => {
  stored = await openStoredRefreshes();
  const { db, clock } = stored;
  stores = openStores(db, { config, clock, logger: { error: () => {} }, replica: 'replica-1' });
});
afterAll(() => stored.close());

/** Its manifest, of one page, was sent. */
async function insertAssembling(): Promise<Refresh> {
  const atMs = stored.clock.now();
  const accepted = acceptedRefresh();
  await stores.refreshes.insertRefresh(accepted, {});
  const assembling: Refresh = {
    ...accepted,
    version: accepted.version + 1,
    phase: 'assembling',
    collectDeadlineMs: atMs + 3_600_000,
    scan: {
      epoch: 1,
      sequence: 1,
      startedAtMs: atMs,
      completedAtMs: atMs,
      pages: 1,
      assetsRead: 1,
      reportedTotalCount: 1,
      endCheck: noEndCheck,
      parked: false,
      worker: null,
    },
  };
  const lastPage = { page: 0, place: 0, epoch: 1, chunks: [], nextCursor: null };
  await stores.refreshes.saveStep({ refresh: accepted, trace: {} }, assembling, { lastPage });
  return assembling;
}

test('a refresh that is decided between its claim and its resend holds up none of the others (Refresh)', async () => {
  const [decided, pending] = [await insertAssembling(), await insertAssembling()];
  stored.clock.advance(config.resend.firstMs);
  const saga = stored.openSaga(stores.refreshes);

  await resendPendingCommands({
    ...saga,
    settleGraceMs: config.deadlines.settleGraceMs,
    logger: { info: () => {} } as never,
    resends: {
      async claimDueResends(limit) {
        const claimed = await stores.resends.claimDueResends(limit);
        const next: Refresh = { ...decided, version: decided.version + 1, phase: 'settling' };
        await stores.refreshes.saveStep({ refresh: decided, trace: {} }, next);
        return claimed;
      },
    },
  });

  expect(saga.sent.map(({ id }) => id)).toEqual([`completed:${pending.id}`]);
});
