import { scopePath } from '@inventory/contracts/http/parameters';
import { duration, list, type Parsed } from '@inventory/runtime/settings';
import { z } from 'zod';

export const captureSettings = {
  CAPTURE_CHAIN_DEADLINE_MS: duration()
    .prefault('600000')
    .describe('Age of a Live Page chain past which it is only read and no longer captured'),
  CAPTURE_STAGING_TIMEOUT_MS: duration()
    .prefault('2000')
    .describe('Longest time that staging a captured page may take while its charge is decided'),
  CAPTURE_SETTLE_DEADLINE_MS: duration()
    .prefault('300000')
    .describe('Longest wait of a complete capture until all its pages are known to be paid'),
  CAPTURE_APPS_EXCLUDED: list()
    .pipe(z.array(scopePath.shape.app_id))
    .optional()
    .describe(
      'Applications (comma-separated app_id) whose chains of Live Pages are never captured',
    ),
} as const;

export type CaptureConfig = Readonly<ReturnType<typeof captureConfig>> & {
  readonly deadlines: Readonly<Record<'lookUpMs', number>>;
};

export function captureConfig(parsed: Parsed<typeof captureSettings>) {
  return {
    captures: {
      chainDeadlineMs: parsed.CAPTURE_CHAIN_DEADLINE_MS,
      stagingTimeoutMs: parsed.CAPTURE_STAGING_TIMEOUT_MS,
      settleWithinMs: parsed.CAPTURE_SETTLE_DEADLINE_MS,
      appsExcluded: parsed.CAPTURE_APPS_EXCLUDED ?? [],
    },
  };
}
