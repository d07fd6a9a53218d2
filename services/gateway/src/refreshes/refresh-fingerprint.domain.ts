import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { Language } from '@inventory/contracts/languages';

/** All inputs of a refresh: path parameters and body with defaults. */
export interface RefreshInputs {
  readonly scope: InventoryKey;
  readonly language: Language;
  readonly maxCredits: number;
  /** Null where the platform is always scanned. */
  readonly maxAgeSeconds: number | null;
}

/**
 * The text whose SHA-256 is the fingerprint of a refresh request. An explicit default and an
 * omitted one are the same inputs.
 */
export function fingerprintText(inputs: RefreshInputs): string {
  const { platform_id, app_id, context_id } = inputs.scope;
  const { language, maxCredits, maxAgeSeconds } = inputs;
  // Keys of refreshes without it are older than it.
  const freshness = maxAgeSeconds === null ? [] : [maxAgeSeconds];
  return JSON.stringify([platform_id, app_id, context_id, language, maxCredits, ...freshness]);
}
