import type { MessageBody } from '@inventory/contracts/messages';
import { fromIsoTime } from '@inventory/runtime/clock';
import type { CompletedScan } from '../domain/scan.ts';

export function fromCompletedMessage(body: MessageBody<'revision.completed.v1'>): CompletedScan {
  return {
    scanId: body.scan_id,
    refreshId: body.refresh_id,
    source: body.source ?? 'refresh',
    scope: body.scope,
    language: body.language,
    window: {
      startedAtMs: fromIsoTime(body.scan_window.started_at),
      completedAtMs: fromIsoTime(body.scan_window.completed_at),
    },
    reportedTotalCount: body.reported_total_count,
    pages: body.pages,
  };
}
