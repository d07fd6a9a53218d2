import type { WorkRow } from '@inventory/work/work-row';

export const leaseMs = 30_000;

const lease = { collection: 'leases', slots: 'one of all replicas', leaseMs } as const;

/**
 * Everything that may be pending in this service beside the commands in its topic, which are
 * redelivered: nothing of it is money, which is in the journal.
 */
export const work = {
  snapshotPass: {
    name: 'snapshot pass',
    ...lease,
    what: 'accounts without commands get their snapshots (`snapshots/snapshot-pass`)',
    afterCrash: 'the lease expires; the next pass begins anew',
    givesUp: 'never',
  },
  snapshotRebuild: {
    name: 'snapshot rebuild',
    ...lease,
    slots: 'one of an account',
    what: 'the derived state of an account is read from its journal (`snapshots/rebuild-snapshots`)',
    afterCrash: 'the lease expires; it is read again',
    givesUp: 'never; a journal that contradicts itself puts its account in quarantine',
  },
  verification: {
    name: 'verification',
    ...lease,
    what: 'the journals of all accounts are verified (`verification/verifier`)',
    afterCrash: 'the lease expires; another replica verifies from the first entry',
    givesUp: 'never',
  },
} as const satisfies Record<string, WorkRow>;
