import type { CurrentPageMeta } from '@inventory/contracts/internal/inventory';

/** A Current page without its assets and descriptions. */
export interface CurrentFrame {
  readonly page: CurrentPageMeta;
  readonly ageSeconds: number;
  readonly nextCursor: string | null;
  readonly meta: Readonly<Record<string, unknown>>;
}

/**
 * The envelope written around the members `"assets":[…],"descriptions":[…]`, whose bytes are sent
 * as they were saved. `total_amount` is written digit by digit: it may exceed what a number holds.
 */
export function currentBody(frame: CurrentFrame, members: Buffer): Buffer {
  const { page, nextCursor } = frame;
  const before = JSON.stringify({
    scope: page.scope,
    revision_id: page.revision_id,
    observation_id: page.observation_id,
    verified_at: page.verified_at,
    age_seconds: frame.ageSeconds,
    scan_window: page.scan_window,
  });
  const after = JSON.stringify({
    reported_total_count: page.reported_total_count,
    pagination: { has_more: nextCursor !== null, next_cursor: nextCursor },
  });
  return Buffer.concat([
    Buffer.from(`{"success":true,"data":${before.slice(0, -1)},`),
    members,
    Buffer.from(
      `,"total_count":${page.total_count},"total_amount":${page.total_amount},` +
        `${after.slice(1)},"meta":${JSON.stringify(frame.meta)}}`,
    ),
  ]);
}
