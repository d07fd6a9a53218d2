import type { ReceivedMessageOf } from '@inventory/messaging/bus';
import {
  type RecordCompletedScanDeps,
  recordCompletedScan,
} from '../operations/record-completed-scan.ts';
import { fromCompletedMessage } from './convert.ts';

export function onRevisionCompleted(deps: RecordCompletedScanDeps) {
  return ({ body }: ReceivedMessageOf<'revision.completed.v1'>): Promise<void> =>
    recordCompletedScan(deps, fromCompletedMessage(body));
}
