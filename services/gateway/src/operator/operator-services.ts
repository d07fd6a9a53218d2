import { inventoryPaths } from '@inventory/contracts/internal/inventory';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { longCalls } from '@inventory/http/call-lanes';
import type { InternalClient } from '@inventory/http/internal-client';
import { pathOf } from '@inventory/http/path-of';
import type { Clock } from '@inventory/runtime/clock';
import { z } from 'zod';
import type { LedgerClient } from '../accounts/ledger-client.ts';
import type { CaptureStore } from '../captures/capture-store.ts';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import type { CollectorOf } from '../refreshes/collector-client.ts';
import type { KeyedCredentialServices } from '../secrets/keyed-credentials.ts';
import type { WatchStore } from '../watches/watch-store.ts';
import type { AuditStore } from './audit-store.ts';

/** What the operations are done with. */
export interface OperatorServices extends KeyedCredentialServices {
  readonly commands: RequestReplyClient;
  readonly ledger: LedgerClient;
  readonly collectorOf: CollectorOf;
  readonly inventories: RevisionStoreEraseClient;
  readonly captures: CaptureStore;
  /** Of the event-stream. */
  readonly webhooks: InternalClient;
  readonly watches: WatchStore;
  readonly auditStore: AuditStore;
  readonly cursors: CursorSealer;
  readonly clock: Clock;
  readonly deadlines: { readonly ledgerReplyMs: number };
}

/** Erases saved inventories. Rejects with ServiceUnreachable when the store is unavailable. */
export type RevisionStoreEraseClient = ReturnType<typeof createRevisionStoreEraseClient>;

export function createRevisionStoreEraseClient(
  client: InternalClient,
  { eraseMs: timeoutMs }: { readonly eraseMs: number },
) {
  return {
    /** Erases everything saved of one inventory; also when nothing is saved. */
    async eraseInventory(inventory: InventoryKey) {
      const path = pathOf(inventoryPaths.inventory, inventory);
      await client.json(z.unknown(), { method: 'DELETE', path, timeoutMs, lane: longCalls });
    },
  };
}
