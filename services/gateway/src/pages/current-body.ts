import { type CurrentPageMeta, packedPageBeginning } from '@inventory/contracts/internal/inventory';
import type { ContentCoding } from '@inventory/contracts/vocabulary';
import { packEnd } from '@inventory/http/packed-body';
import { unpack } from '@inventory/runtime/packed-bytes';
import type { SavedPage } from './revision-store-client.ts';

/** A Current page without its assets and descriptions. */
export interface CurrentFrame {
  readonly page: CurrentPageMeta;
  readonly ageSeconds: number;
  readonly nextCursor: string | null;
  readonly meta: Readonly<Record<string, unknown>>;
}

/**
 * The response, in parts: the rows as they were saved, never parsed, and every value of the request behind
 * them, so that what was packed once serves every request. It is unpacked, in one piece, for a client
 * that does not accept how it is packed. `total_amount` is written digit by digit: it may exceed what
 * a number holds.
 */
export function currentBody(
  frame: CurrentFrame,
  { parts, meta: { packed } }: SavedPage,
  accepted: ContentCoding | null,
): { readonly coding: ContentCoding | null; readonly body: readonly Buffer[] } {
  const end = Buffer.from(endOf(frame));
  if (packed === null) {
    return { coding: null, body: [Buffer.from(packedPageBeginning), ...parts, end] };
  }
  const { coding, raw_bytes: rawBytes, crc32 } = packed;
  const body = [...parts, packEnd({ coding, rawBytes, crc32 }, end)];
  if (coding === accepted) return { coding, body };
  const whole = { packed: Buffer.concat(body), rawBytes: rawBytes + end.length };
  return { coding: null, body: [unpack(whole)] };
}

function endOf({ page, ageSeconds, nextCursor, meta }: CurrentFrame): string {
  const before = JSON.stringify({
    scope: page.scope,
    revision_id: page.revision_id,
    observation_id: page.observation_id,
    verified_at: page.verified_at,
    age_seconds: ageSeconds,
    scan_window: page.scan_window,
    total_count: page.total_count,
  });
  const after = JSON.stringify({
    reported_total_count: page.reported_total_count,
    not_in_revision: page.not_in_revision,
    pagination: { has_more: nextCursor !== null, next_cursor: nextCursor },
  });
  return (
    `,${before.slice(1, -1)},"total_amount":${page.total_amount},${after.slice(1)},` +
    `"meta":${JSON.stringify(meta)}}`
  );
}
