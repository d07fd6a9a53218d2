import { inventoryApi } from '@inventory/contracts/internal/inventory';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { SavedObservation } from '@inventory/contracts/messages/revision';
import { type InternalClient, nullIfRefused } from '@inventory/http/internal-client';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { type AcceptedObservation, mayTake } from './saved-observation.domain.ts';

export type ObservationClient = ReturnType<typeof createObservationClient>;

/** One that answers later is not waited for: the platform is scanned. */
const timeoutMs = 2_000;

/** Reads of the revision-store. */
export function createObservationClient(client: InternalClient) {
  return {
    /** Null where nothing is saved. */
    async findLatest(scope: InventoryKey): Promise<SavedObservation | null> {
      const read = client.call(inventoryApi.readObservation, { path: scope }, { timeoutMs });
      return await nullIfRefused(read);
    },
  };
}

export interface FindObservationDeps {
  readonly observations: ObservationClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The observation that the refresh may take; null where there is none. */
export async function findObservation(
  deps: FindObservationDeps,
  refresh: AcceptedObservation & { readonly scope: InventoryKey },
): Promise<SavedObservation | null> {
  if (refresh.freshness === null) return null;
  const latest = await findLatest(deps, refresh.scope);
  return latest && mayTake(refresh, latest, deps.clock.now()) ? latest : null;
}

/** Null where nothing is saved, or the store is unavailable. */
export async function findLatest(
  { observations, logger }: FindObservationDeps,
  scope: InventoryKey,
): Promise<SavedObservation | null> {
  try {
    return await observations.findLatest(scope);
  } catch (error) {
    logger.warn({ err: error }, 'no saved observation in time: scanned');
    return null;
  }
}
