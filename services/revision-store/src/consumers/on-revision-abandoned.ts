import type { ReceivedMessageOf } from '@inventory/messaging/bus';
import {
  type AbandonedScanRecording,
  recordAbandonedScan,
} from '../operations/record-abandoned-scan.ts';

export function onRevisionAbandoned(recording: AbandonedScanRecording) {
  return ({ body }: ReceivedMessageOf<'revision.abandoned.v1'>): Promise<void> =>
    recordAbandonedScan(recording, { scanId: body.scan_id, refreshId: body.refresh_id });
}
