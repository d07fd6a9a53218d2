import { type CurrentPageMeta, currentPageMeta } from '@inventory/contracts/internal/inventory';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { isoTime } from '@inventory/runtime/clock';
import type { CurrentPage } from '../operations/read-current-page.ts';

export function toCurrentPageMeta(
  of: InventoryKey,
  page: Extract<CurrentPage, { result: 'page' }>,
): CurrentPageMeta {
  const { observation, language, nextPosition, packed } = page;
  const { revision, window } = observation;
  const completedAt = isoTime(window.completedAtMs);
  return currentPageMeta.parse({
    scope: of,
    revision_id: revision.revisionId,
    observation_id: observation.observationId,
    verified_at: completedAt,
    scan_window: { started_at: isoTime(window.startedAtMs), completed_at: completedAt },
    total_count: revision.totalCount,
    total_amount: revision.totalAmount,
    reported_total_count: observation.reportedTotalCount,
    language,
    next_position: nextPosition,
    packed: packed && { coding: packed.coding, raw_bytes: packed.rawBytes, crc32: packed.crc32 },
  });
}
