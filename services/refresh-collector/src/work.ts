import type { WorkRow } from '@inventory/work/work-row';

/** Messages of one claim are published together. */
const slots = 200;

/** Everything that may be pending in this service. Any replica does it. */
export const work = {
  commands: {
    name: 'resent commands',
    collection: 'refreshes',
    what: 'a refresh waits for an outcome of the ledger or of the revision-store (`jobs/resend-work`)',
    slots,
    again: 'RESEND_BACKOFF_FIRST_MS',
    afterCrash: 're-sent from 10 s on',
    givesUp: 'never; from the deadline of an assembly on, its scan is abandoned instead',
  },
  announcements: {
    name: 'resent announcements',
    collection: 'refreshes',
    what: 'the event of a completed refresh is not known to be in the log (`jobs/resend-work`)',
    slots,
    again: 'RESEND_BACKOFF_FIRST_MS',
    afterCrash: 're-sent until step 13 is reported',
    givesUp: 'never; every ten minutes in the end',
  },
  scans: {
    name: 'scan leases',
    collection: 'inventories',
    what: 'a scan reads the pages of its inventory (`scans/run-scan`)',
    slots: 'one of an inventory, `SCANS_MAX` of each replica',
    leaseMs: 'SCAN_LEASE_MS',
    afterCrash: 'the lease expires; another worker continues after the last recorded page',
    givesUp: 'at the deadline of the refresh, which ends without a charge',
  },
  plan: {
    name: 'planner',
    collection: 'plans',
    what: 'one replica plans the reads of all (`planning/scan-scheduler`)',
    slots: 'one of all replicas',
    leaseMs: 'SCAN_LEASE_MS',
    afterCrash: 'the lease expires; another replica plans from the stored refreshes',
    givesUp: 'never',
  },
} as const satisfies Record<string, WorkRow>;
