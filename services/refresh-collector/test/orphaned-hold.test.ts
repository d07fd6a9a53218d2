import type { Environment } from '@inventory/contracts/environment';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import type { ReceivedMessage, ReceivedMessageOf } from '@inventory/messaging/bus';
import { only } from '@inventory/testkit/only';
import { isOf, onBillingOutcome } from '../src/on-messages.ts';
import type { Saga } from '../src/saga/open-saga.ts';
import { sweepHolds } from '../src/saga/orphaned-holds.ts';
import type { Refresh } from '../src/saga/refresh.domain.ts';
import type { RefreshStore } from '../src/saga/refresh-store.ts';
import { acceptedRefresh, holdOf } from './refresh-builder.ts';
import { missingAtFirst, openStoredRefreshes, type StoredRefreshes } from './stored-refreshes.ts';

let stored: StoredRefreshes;
beforeAll(async () => {
  stored = await openStoredRefreshes();
});
afterAll(() => stored.close());

const trace = {};
const at = '2026-01-01T00:00:00.000Z';
const typesOf = (messages: readonly { readonly type: string }[]) =>
  messages.map(({ type }) => type);

async function deliver(saga: Saga, body: BillingOutcome): Promise<void> {
  const message = {
    type: 'billing.outcome.v1',
    body,
    trace,
  } as ReceivedMessageOf<'billing.outcome.v1'>;
  await onBillingOutcome(saga)['billing.outcome.v1']?.(message);
}

const sweep = (
  saga: Saga,
  { refreshId, accountId, projectId }: Refresh,
  environment: Environment = 'live',
) => {
  const hold = {
    ...{ refreshId, accountId, projectId },
    asset: 'credits',
    amount: 125,
    priceVersion: 1,
    reservedAtMs: Date.parse(at),
  } as const;
  const ledger = { listHoldsOlderThan: () => Promise.resolve({ asOfMs: null, items: [hold] }) };
  return sweepHolds(saga, only(ledger), 3_600, environment);
};

/** Reads that miss the refresh before one finds it; with the last, none ever does. */
const staleReads = [1, 2, 3, 50, Number.POSITIVE_INFINITY] as const;
const phaseOf = async ({ refreshId: id }: Refresh) =>
  (await stored.openStore().findRefresh(id))?.phase;

describe('the hold of a refresh', () => {
  it.each(staleReads)(
    'is not released however often a read misses the refresh (%d times), and is its own once one finds it',
    async (misses) => {
      const refresh = acceptedRefresh();
      await stored.openStore().insertRefresh(refresh);
      const saga = stored.openSaga(missingAtFirst(stored.openStore(), misses));

      await deliver(saga, holdOf(refresh));
      await sweep(saga, refresh);
      const unchanged = await phaseOf(refresh);
      // As the reserve is resent, its recorded outcome is delivered again.
      await deliver(stored.openSaga(), holdOf(refresh));

      expect(saga.sent).toEqual([]);
      expect(unchanged).toBe(misses > 1 ? 'accepted' : 'queued');
      expect(await phaseOf(refresh)).toBe('queued');
    },
  );

  it.each(staleReads)(
    'is not released by the sweep however often a read misses the refresh (%d times)',
    async (misses) => {
      const refresh = acceptedRefresh({ phase: 'queued' });
      await stored.openStore().insertRefresh(refresh);
      const saga = stored.openSaga(missingAtFirst(stored.openStore(), misses));

      await sweep(saga, refresh);

      expect(saga.sent).toEqual([]);
      expect(await phaseOf(refresh)).toBe('queued');
    },
  );

  it.each(staleReads)(
    'is not released when the refresh is inserted between a read that misses it and the release (%d misses)',
    async (misses) => {
      const refresh = acceptedRefresh();
      const saga = stored.openSaga(
        insertedAfterRead(missingAtFirst(stored.openStore(), misses), refresh),
      );

      await deliver(saga, holdOf(refresh));

      expect(saga.sent).toEqual([]);
      expect(['accepted', 'queued']).toContain(await phaseOf(refresh));
    },
  );
});

const environments = ['live', 'sandbox'] as const;
const twin = 'acc_01a22676-365c-8dd6-aff8-31301bbc20c6';

describe.each(environments)('the hold of the other environment, to the collector of %s', (own) => {
  const accountId = own === 'live' ? twin : acceptedRefresh().accountId;

  it('is never released as orphaned, by a sweep or by its outcome (Sandbox) [sandbox]', async () => {
    const refresh = acceptedRefresh({ accountId });
    const saga = stored.openSaga();
    const outcome = { type: 'billing.outcome.v1', body: holdOf(refresh) };

    await sweep(saga, refresh, own);

    expect(saga.sent).toEqual([]);
    expect(await phaseOf(refresh)).toBeUndefined();
    const delivered = only<ReceivedMessage>(outcome as never);
    const other = own === 'live' ? 'sandbox' : 'live';
    expect(environments.filter((one) => isOf(one, delivered))).toEqual([other]);
    await sweep(saga, refresh, other);
    expect(typesOf(saga.sent)).toEqual(['billing.release.v1']);
  });
});

/** A store in which another process inserts the refresh right after the first read. */
function insertedAfterRead(store: RefreshStore, refresh: Refresh): RefreshStore {
  return {
    ...store,
    async findRefresh(id) {
      const found = await store.findRefresh(id);
      await stored.openStore().insertRefresh(refresh);
      return found;
    },
  };
}

describe('the hold of no refresh', () => {
  const refusedAsCancelled = { phase: 'refused', refusal: { code: 'service_unavailable' } };

  it('is released, and a request delivered later finds itself refused', async () => {
    const refresh = acceptedRefresh();
    const saga = stored.openSaga();

    await deliver(saga, holdOf(refresh));
    await deliver(saga, holdOf(refresh));

    expect(typesOf(saga.sent)).toEqual(['billing.release.v1', 'billing.release.v1']);
    expect(await stored.openStore().findRefresh(refresh.refreshId)).toMatchObject(
      refusedAsCancelled,
    );
  });

  it('is released only once the placeholder is stored: the write decides, not the read', async () => {
    const refresh = acceptedRefresh();
    const storedAtRelease: unknown[] = [];
    const saga: Saga = {
      ...stored.openSaga(),
      async publish(messages) {
        for (const { type } of messages) storedAtRelease.push([type, await phaseOf(refresh)]);
      },
    };

    await deliver(saga, holdOf(refresh));

    expect(storedAtRelease).toEqual([['billing.release.v1', 'refused']]);
  });

  it('is released by the sweep in the same way', async () => {
    const refresh = acceptedRefresh();
    const saga = stored.openSaga();

    await sweep(saga, refresh);

    expect(typesOf(saga.sent)).toEqual(['billing.release.v1']);
    expect(await stored.openStore().findRefresh(refresh.refreshId)).toMatchObject(
      refusedAsCancelled,
    );
  });
});
