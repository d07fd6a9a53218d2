import { inventoryApi } from '@inventory/contracts/internal/inventory';
import { type InventoryKey, inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { SavedObservation } from '@inventory/contracts/messages/revision';
import { type InternalClient, nullIfRefused } from '@inventory/http/internal-client';
import { forEachLimited } from '@inventory/runtime/concurrency';
import { applyFact } from '../saga/apply-fact.ts';
import type { Saga } from '../saga/open-saga.ts';
import type { Fact } from '../saga/refresh-fact.domain.ts';
import type { RefreshListStore } from '../saga/refresh-list-store.ts';
import { type AcceptedObservation, mayTake, observedBy } from './saved-observation.domain.ts';

/** A scan of the inventory is being saved: it may be young enough. */
export class ScanBeingSaved extends Error {
  override name = 'ScanBeingSaved';
}

/** What refreshes take in place of a scan. */
export type Observations = ReturnType<typeof openObservations>;

/** A store that responds later is not waited for: the platform is scanned. */
const timeoutMs = 2_000;
const concurrencyMax = 200;

/** Opens the observations of the revision-store; what enters the queue takes one that was made before. */
export function openObservations(saga: Saga, lists: RefreshListStore, { call }: InternalClient) {
  const { refreshes, clock, logger } = saga;

  /** Null where nothing is saved, or the store is unavailable. */
  async function findLatest(scope: InventoryKey): Promise<SavedObservation | null> {
    try {
      const read = call(inventoryApi.readObservation, { path: scope }, { timeoutMs });
      return await nullIfRefused(read);
    } catch (error) {
      logger.warn({ err: error }, 'no saved observation in time: scanned');
      return null;
    }
  }

  async function find(
    refresh: AcceptedObservation & { readonly scope: InventoryKey },
  ): Promise<SavedObservation | null> {
    if (refresh.freshness === null) return null;
    const latest = await findLatest(refresh.scope);
    return latest && mayTake(refresh, latest, clock.now()) ? latest : null;
  }

  async function takeCommitted(scope: InventoryKey): Promise<void> {
    const waiting = await lists.findWaiting(inventoryKeyText(scope));
    if (waiting.length === 0) return;
    const latest = await findLatest(scope);
    if (latest === null) return;
    const satisfied = waiting.filter((refresh) => mayTake(refresh, latest, clock.now()));
    await forEachLimited(satisfied, concurrencyMax, async ({ refreshId }) => {
      await applyFact(saga, refreshId, observedBy(latest), 'resend');
    });
  }

  // What was observed while a refresh was accepted is not observed again.
  saga.onEntered(({ phase, freshness, scope, refreshId }) => {
    if (phase !== 'queued' || freshness === null) return;
    takeCommitted(scope).catch((err: unknown) =>
      logger.warn({ err, refreshId }, 'no observation taken'),
    );
  });

  return {
    /** The observation that the refresh may take; null where there is none. */
    find,
    /**
     * Completes every queued refresh of an inventory that the latest observation satisfies. Called when one
     * is committed, and when a refresh enters the queue, so that none is missed while it was accepted. What
     * a fault leaves is requested once more when its scan would start.
     */
    takeCommitted,
    /**
     * What a queued refresh takes in place of the scan that it would start now; null where it has to
     * scan. Throws {@link ScanBeingSaved}: to be requested again.
     */
    async takeInstead(refreshId: string): Promise<Fact | null> {
      const refresh = await refreshes.findRefresh(refreshId);
      if (refresh?.phase !== 'queued') return null;
      // In this order: what is saved between the two is found the next time.
      const isBeingSaved = await lists.isBeingSaved(inventoryKeyText(refresh.scope));
      const found = await find(refresh);
      if (found !== null) return observedBy(found);
      if (isBeingSaved) throw new ScanBeingSaved(`${refreshId} waits for a scan to be saved`);
      return null;
    },
  };
}
