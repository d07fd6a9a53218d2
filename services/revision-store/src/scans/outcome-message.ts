import { inventoryKeyOf } from '@inventory/contracts/inventory-key';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { uuidV5 } from '@inventory/runtime/identifiers';
import type { DecidedScan } from '../domain/scan.ts';

/**
 * The outcome message of a decided scan: every duplicate has the same bytes and id. A capture's names
 * its inventory, which the collector knows of its refreshes.
 */
export function outcomeMessage(
  { result, ...ids }: DecidedScan,
  scopeKey: string | null,
): OutgoingMessage {
  const { scanId, refreshId } = ids;
  if (result.result === 'rejected') {
    const type = 'revision.rejected.v1';
    return { type, id: uuidV5(scanId, type), body: { ...ids, ...result } };
  }
  const type = 'revision.committed.v1';
  const isNamed = refreshId === null && scopeKey !== null;
  const scope = isNamed ? inventoryKeyOf(scopeKey) : null;
  return { type, id: uuidV5(scanId, type), body: { ...ids, scope, ...result } };
}
