import {
  type ServiceConfig,
  serviceConfig,
  serviceSettings,
} from '@inventory/runtime/service-settings';
import { deepFreeze, duration, integer, readSettings } from '@inventory/runtime/settings';

export const settings = {
  ...serviceSettings,
  ASSEMBLY_LEASE_MS: duration()
    .prefault('15000')
    .describe('How long an assembly that stopped renewing keeps its inventory from other workers'),
  ASSEMBLIES_MAX: integer(1, 64)
    .prefault('8')
    .describe('Scans of at most 8 pages assembled at once; of larger ones it is one'),
  MISSING_PAGES_WAIT_MS: duration()
    .prefault('60000')
    .describe('How long a completed scan waits for pages it names before it is rejected'),
  SUPERSEDED_KEPT_MS: duration()
    .prefault('86400000')
    .describe('How long superseded observations stay readable for page chains pinned to them'),
  HEAD_KEPT_MS: duration()
    .prefault('15552000000')
    .describe('How long the newest revision stays after it was last observed'),
  FORGOTTEN_CHUNKS_KEPT_MS: duration()
    .prefault('86400000')
    .describe('How long staged pages wait for a command about their scan'),
  FORGOTTEN_CAPTURES_KEPT_MS: duration()
    .prefault('3600000')
    .describe(
      'How long pages of a Live Page chain wait for its capture; not less than a chain may last',
    ),
  SCAN_RECORDS_KEPT_MS: duration()
    .prefault('2592000000')
    .describe('How long a decided scan is remembered; not less than its command topic is kept'),
  BLOCK_CACHE_BYTES: integer(0, 2 ** 31)
    .prefault('33554432')
    .describe('Memory for unpacked blocks that were read last'),
  PRUNE_EVERY_MS: duration()
    .prefault('30000')
    .describe('Pause between two rounds of deleting what nothing needs any more'),
} as const;

export interface RevisionStoreConfig extends ServiceConfig {
  readonly assembly: {
    readonly leaseMs: number;
    readonly smallScansMax: number;
    readonly missingPagesWaitMs: number;
  };
  readonly blockCacheBytes: number;
  readonly retention: {
    readonly supersededKeptMs: number;
    readonly headKeptMs: number;
    readonly forgottenChunksKeptMs: number;
    readonly forgottenCapturesKeptMs: number;
    readonly scanRecordsKeptMs: number;
    readonly pruneEveryMs: number;
  };
}

export function loadConfig(environment: Record<string, string | undefined>): RevisionStoreConfig {
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
      headKeptMs: parsed.HEAD_KEPT_MS,
      forgottenChunksKeptMs: parsed.FORGOTTEN_CHUNKS_KEPT_MS,
      forgottenCapturesKeptMs: parsed.FORGOTTEN_CAPTURES_KEPT_MS,
      scanRecordsKeptMs: parsed.SCAN_RECORDS_KEPT_MS,
      pruneEveryMs: parsed.PRUNE_EVERY_MS,
    },
  });
}
