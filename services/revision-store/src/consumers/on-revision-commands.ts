import type { MessageBody } from '@inventory/contracts/messages';
import type { Handlers } from '@inventory/messaging/dispatch';
import { fromIsoTime } from '@inventory/runtime/clock';
import type { CompletedScan } from '../domain/scan.ts';
import type { Scanning } from '../scans/open-scanning.ts';
import { recordAbandonedScan } from '../scans/record-abandoned-scan.ts';
import { recordCompletedScan } from '../scans/record-completed-scan.ts';
import type { Assemblies } from '../scans/start-assemblies.ts';

export function onRevisionCommands(
  scanning: Scanning,
  assemblies: Pick<Assemblies, 'reserve' | 'wake'>,
): Handlers {
  return {
    'revision.completed.v1': ({ body }) =>
      recordCompletedScan(scanning, assemblies, fromCompletedMessage(body)),
    'revision.abandoned.v1': ({ body }) =>
      recordAbandonedScan(scanning, { scanId: body.scan_id, refreshId: body.refresh_id }),
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
