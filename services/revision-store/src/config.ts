import { serviceConfig, serviceSettings } from '@inventory/runtime/service-settings';
import { deepFreeze, duration, integer, readSettings } from '@inventory/runtime/settings';

export const settings = {
  ...serviceSettings,
  ASSEMBLY_LEASE_MS: duration()
    .prefault('15000')
    .describe('Lease of an assembly on its inventory; expires when the worker stops renewing it'),
  ASSEMBLIES_MAX: integer(1, 64)
    .prefault('8')
    .describe(
      'Concurrent assemblies of scans of at most 8 pages; larger ones are assembled one at a time',
    ),
  MISSING_PAGES_WAIT_MS: duration()
    .prefault('60000')
    .describe('How long a completed scan waits for pages it names before it is rejected'),
  SUPERSEDED_KEPT_MS: duration()
    .prefault('86400000')
    .describe('How long superseded observations stay readable for page chains pinned to them'),
  CHANGES_KEPT_MS: duration()
    .prefault('2592000000')
    .describe('How much longer change sets are kept than the revisions that they join'),
  HEAD_KEPT_MS: duration()
    .prefault('15552000000')
    .describe('How long the newest revision stays after it was last observed'),
  FORGOTTEN_CHUNKS_KEPT_MS: duration()
    .prefault('86400000')
    .describe('How long staged pages are kept without a command for their scan'),
  FORGOTTEN_CAPTURES_KEPT_MS: duration()
    .prefault('3600000')
    .describe(
      'How long staged pages of a Live Page chain are kept without its capture; at least the longest chain',
    ),
  SCAN_RECORDS_KEPT_MS: duration()
    .prefault('2592000000')
    .describe(
      'How long the record of a decided scan is kept; at least the retention of its command topic',
    ),
  BLOCK_CACHE_BYTES: integer(0, 2 ** 31)
    .prefault('33554432')
    .describe(
      'Memory of the cache of blocks, half of it for descriptions, a quarter each for assets and packed pages',
    ),
  PRUNE_EVERY_MS: duration().prefault('30000').describe('Pause between two runs of pruning'),
} as const;

export type RevisionStoreConfig = ReturnType<typeof loadConfig>;

export function loadConfig(environment: Record<string, string | undefined>) {
  const parsed = readSettings(settings, environment);
  return deepFreeze({
    ...serviceConfig(parsed),
    assembly: {
      leaseMs: parsed.ASSEMBLY_LEASE_MS,
      smallScansMax: parsed.ASSEMBLIES_MAX,
      missingPagesWaitMs: parsed.MISSING_PAGES_WAIT_MS,
    },
    blockCacheBytes: parsed.BLOCK_CACHE_BYTES,
    retention: {
      supersededKeptMs: parsed.SUPERSEDED_KEPT_MS,
      changesKeptMs: parsed.CHANGES_KEPT_MS,
      headKeptMs: parsed.HEAD_KEPT_MS,
      forgottenChunksKeptMs: parsed.FORGOTTEN_CHUNKS_KEPT_MS,
      forgottenCapturesKeptMs: parsed.FORGOTTEN_CAPTURES_KEPT_MS,
      scanRecordsKeptMs: parsed.SCAN_RECORDS_KEPT_MS,
      pruneEveryMs: parsed.PRUNE_EVERY_MS,
    },
  });
}
