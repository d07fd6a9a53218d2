import type { OutgoingMessage } from '@inventory/messaging/bus';
import { uuidV5 } from '@inventory/runtime/identifiers';
import type { DecidedScan } from '../domain/scan.ts';

/** The outcome message of a decided scan: every duplicate has the same bytes and id. */
export function outcomeMessage({ scanId, refreshId, result }: DecidedScan): OutgoingMessage {
  if (result.result === 'rejected') {
    const type = 'revision.rejected.v1';
    const body = { scan_id: scanId, refresh_id: refreshId, reason: result.reason };
    return { type, id: uuidV5(scanId, type), body };
  }
  const type = 'revision.committed.v1';
  const body = {
    scan_id: scanId,
    refresh_id: refreshId,
    revision_id: result.revisionId,
    observation_id: result.observationId,
    changed: result.changed,
    observed_assets: result.observedAssets,
  };
  return { type, id: uuidV5(scanId, type), body };
}
