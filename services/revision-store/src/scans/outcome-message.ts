import { inventoryKeyOf } from '@inventory/contracts/inventory-key';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { uuidV5 } from '@inventory/runtime/identifiers';
import type { DecidedScan } from '../domain/scan.ts';

/**
 * The outcome message of a decided scan: every duplicate has the same bytes and id. A capture's names
 * its inventory, which the collector knows of its refreshes.
 */
export function outcomeMessage(
  { scanId, refreshId, result }: DecidedScan,
  scopeKey: string | null,
): OutgoingMessage {
  if (result.result === 'rejected') {
    const type = 'revision.rejected.v1';
    const body = { scan_id: scanId, refresh_id: refreshId, reason: result.reason };
    return { type, id: uuidV5(scanId, type), body };
  }
  const type = 'revision.committed.v1';
  const body = {
    scan_id: scanId,
    refresh_id: refreshId,
    ...(refreshId === null && scopeKey !== null ? { scope: inventoryKeyOf(scopeKey) } : {}),
    revision_id: result.revisionId,
    ...(result.previousRevisionId === null
      ? {}
      : { previous_revision_id: result.previousRevisionId }),
    observation_id: result.observationId,
    changed: result.changed,
    observed_assets: result.observedAssets,
  };
  return { type, id: uuidV5(scanId, type), body };
}
