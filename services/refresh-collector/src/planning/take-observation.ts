import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { type FindObservationDeps, findObservation } from '../observations/find-observation.ts';
import { observedBy } from '../observations/saved-observation.domain.ts';
import type { SagaDeps } from '../saga/apply-fact.ts';
import type { Fact } from '../saga/refresh-fact.domain.ts';
import type { ScanStore } from '../scans/scan-store.ts';

/** A scan of the inventory is being saved: it may be young enough. */
export class ScanBeingSaved extends Error {
  override name = 'ScanBeingSaved';
}

export interface TakeObservationDeps extends FindObservationDeps {
  readonly refreshes: Pick<SagaDeps['refreshes'], 'findRefresh'>;
  readonly scans: ScanStore;
}

/**
 * What a queued refresh takes in place of the scan that it would start now; null where it has to
 * scan. Throws {@link ScanBeingSaved}: the question is to be asked again.
 */
export async function takeObservation(
  deps: TakeObservationDeps,
  refreshId: string,
): Promise<Fact | null> {
  const refresh = await deps.refreshes.findRefresh(refreshId);
  if (refresh?.phase !== 'queued') return null;
  // In this order: what is saved between the two is found the next time.
  const isBeingSaved = await deps.scans.isBeingSaved(inventoryKeyText(refresh.scope));
  const found = await findObservation(deps, refresh);
  if (found !== null) return observedBy(found);
  if (isBeingSaved) throw new ScanBeingSaved(`${refreshId} waits for a scan to be saved`);
  return null;
}
