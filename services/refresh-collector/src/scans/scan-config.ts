import { duration, integer, type Parsed } from '@inventory/runtime/settings';

export const scanSettings = {
  SCAN_PAGES_MAX: integer(1, 250).prefault('250').describe('Most pages of one scan'),
  SCAN_LEASE_MS: duration()
    .prefault('15000')
    .describe('Lease of a scan and of the planner: another replica takes over once it expires'),
  SCANS_MAX: integer(1, 10_000)
    .prefault('64')
    .describe('Most scans one replica runs at once; parked ones do not count'),
  SCANS_PER_ACCOUNT_MAX: integer(1, 10_000)
    .prefault('16')
    .describe('Most scans of one account at once, over all replicas; parked ones do not count'),
  SCHEDULE_IDLE_MS: duration()
    .prefault('250')
    .describe(
      'Longest pause of planner and workers between two reads of what changed, while the replica is used, and the shortest between two plans',
    ),
} as const;

export type ScanConfig = ReturnType<typeof scanConfig>;

export function scanConfig(parsed: Parsed<typeof scanSettings>) {
  return {
    scheduling: {
      pagesMax: parsed.SCAN_PAGES_MAX,
      leaseMs: parsed.SCAN_LEASE_MS,
      scansMax: parsed.SCANS_MAX,
      scansPerAccountMax: parsed.SCANS_PER_ACCOUNT_MAX,
      idleMs: parsed.SCHEDULE_IDLE_MS,
    },
  };
}
