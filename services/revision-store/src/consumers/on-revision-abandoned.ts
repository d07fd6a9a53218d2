import type { ReceivedMessageOf } from '@inventory/messaging/bus';
import {
  type RecordAbandonedScanDeps,
  recordAbandonedScan,
} from '../operations/record-abandoned-scan.ts';

export function onRevisionAbandoned(deps: RecordAbandonedScanDeps) {
  return ({ body }: ReceivedMessageOf<'revision.abandoned.v1'>): Promise<void> =>
    recordAbandonedScan(deps, { scanId: body.scan_id, refreshId: body.refresh_id });
}
