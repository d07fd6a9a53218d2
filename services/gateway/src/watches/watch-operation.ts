import type { watchView } from '@inventory/contracts/http/watches';
import type { z } from 'zod';
import { exampleIds, exampleScope } from '../http/openapi/examples.ts';
import { sameProject, scopeOf } from '../http/openapi/links.ts';

/** What may make runs. */
export const watchPermission = 'platform.inventory.refresh.v1';
/** Of every operation on watches. */
export const watchOperation = { tag: 'Watches', permission: watchPermission } as const;
export const watchesTemplate = '/v2/projects/{project_id}/watches';
export const watchTemplate = `${watchesTemplate}/{platform_id}/{app_id}/{context_id}` as const;

/** What continues from the watch at this pointer into the response. */
export function watchLinks(pointer: string) {
  const watch = { ...sameProject, ...scopeOf(pointer) };
  return { readWatch: watch, listWatchRuns: watch, deleteWatch: watch };
}

export const watchExample: z.input<typeof watchView> = {
  watch_id: exampleIds.watch,
  scope: exampleScope,
  every_seconds: 3_600,
  language: 'english',
  max_credits_per_day: 500,
  state: 'active',
  paused_reason: null,
  next_refresh_at: '2026-01-15T11:02:17.000Z',
  last_refresh_id: exampleIds.refresh,
  last_outcome: 'complete_unchanged',
  expected_credits_per_month: 864,
  maximum_credits_per_month: 16_000,
};
