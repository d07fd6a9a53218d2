import { recordedRefreshRefusal } from '@inventory/contracts/recorded-refusals';
import type { RefreshRefusal } from '@inventory/contracts/refusal';
import { isoTime } from '@inventory/runtime/clock';

/** A refusal as earlier releases stored it, beside fields that are named as now. */
interface EarlierRefusalDocument {
  readonly code: string;
  readonly limit?: number | SpendLimitDocument | null;
  readonly retryAfterSeconds?: number;
}

interface SpendLimitDocument {
  readonly cap: number;
  readonly spent: number;
  readonly resetsAtMs: number;
}

export type RefusalDocument = RefreshRefusal | EarlierRefusalDocument;

export function fromRefusalDocument(document: RefusalDocument): RefreshRefusal {
  return recordedRefreshRefusal.parse(
    'limit' in document || 'retryAfterSeconds' in document ? withWireNames(document) : document,
  );
}

function withWireNames({ limit, retryAfterSeconds, ...fields }: EarlierRefusalDocument) {
  const waits = { ...fields, retry_after_seconds: retryAfterSeconds };
  if (typeof limit === 'number') return { ...waits, limit };
  if (!limit) return waits;
  const { cap, spent, resetsAtMs } = limit;
  return { ...waits, cap, spent, resets_at: isoTime(resetsAtMs) };
}
