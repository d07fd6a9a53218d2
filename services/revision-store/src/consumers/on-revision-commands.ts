import type { MessageBody } from '@inventory/contracts/messages';
import type { Handlers } from '@inventory/messaging/dispatch';
import { fromIsoTime } from '@inventory/runtime/clock';
import type { CompletedScan } from '../domain/scan.ts';
import {
  type RecordAbandonedScanDeps,
  recordAbandonedScan,
} from '../scans/record-abandoned-scan.ts';
import {
  type RecordCompletedScanDeps,
  recordCompletedScan,
} from '../scans/record-completed-scan.ts';

export function onRevisionCommands(
  deps: RecordCompletedScanDeps & RecordAbandonedScanDeps,
): Handlers {
  return {
    'revision.completed.v1': ({ body }) => recordCompletedScan(deps, fromCompletedMessage(body)),
    'revision.abandoned.v1': ({ body }) =>
      recordAbandonedScan(deps, { scanId: body.scan_id, refreshId: body.refresh_id }),
  };
}

export function fromCompletedMessage(body: MessageBody<'revision.completed.v1'>): CompletedScan {
  return {
    scanId: body.scan_id,
    refreshId: body.refresh_id,
    source: body.source,
    scope: body.scope,
    language: body.language,
    sequence: body.sequence ?? null,
    window: {
      startedAtMs: fromIsoTime(body.scan_window.started_at),
      completedAtMs: fromIsoTime(body.scan_window.completed_at),
    },
    reportedTotalCount: body.reported_total_count,
    pages: body.pages,
  };
}
