import type { Scope } from '@inventory/contracts/scope';
import type { InternalClient } from '@inventory/http/internal-client';
import { z } from 'zod';

/** Erases saved inventories. Rejects with ServiceUnreachable when the store does not answer. */
export interface RevisionStoreEraseClient {
  /** Everything saved of one inventory; erasing nothing is no error. */
  erase(scope: Scope): Promise<void>;
}

/** A large inventory is thousands of blocks to delete. */
const eraseTimeoutMs = 25_000;

export function createRevisionStoreEraseClient(client: InternalClient): RevisionStoreEraseClient {
  return {
    async erase({ platform_id, app_id, context_id }) {
      const path = `/inventories/${platform_id}/${app_id}/${context_id}`;
      await client.json(z.unknown(), { method: 'DELETE', path, timeoutMs: eraseTimeoutMs });
    },
  };
}
