import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { captureIndexes } from './captures/capture-store.ts';
import { rateWindowIndexes } from './http/limits/rate-window-store.ts';
import { auditIndexes } from './operator/audit-store.ts';
import { pageIntentIndexes } from './pages/page-intent-store.ts';
import { readKeyIndexes } from './pages/read-key-store.ts';
import { pendingCancelIndexes } from './refreshes/pending-cancel-store.ts';
import { promisedSecretIndexes } from './secrets/promised-secret-store.ts';
import { slotIndexes } from './streams/stream-slot-store.ts';
import { tenancyIndexes } from './tenancy/tenancy-documents.ts';
import { watchIndexes } from './watches/watch-store.ts';

/** Every collection that the gateway owns. */
export const gatewayIndexes: readonly CollectionIndexes[] = [
  ...tenancyIndexes,
  pageIntentIndexes,
  pendingCancelIndexes,
  rateWindowIndexes,
  readKeyIndexes,
  promisedSecretIndexes,
  captureIndexes,
  auditIndexes,
  ...slotIndexes,
  watchIndexes,
];
