import type { ReceivedMessageOf } from '@inventory/messaging/bus';
import {
  type CompletedScanRecording,
  recordCompletedScan,
} from '../operations/record-completed-scan.ts';
import { fromCompletedMessage } from './convert.ts';

export function onRevisionCompleted(recording: CompletedScanRecording) {
  return ({ body }: ReceivedMessageOf<'revision.completed.v1'>): Promise<void> =>
    recordCompletedScan(recording, fromCompletedMessage(body));
}
