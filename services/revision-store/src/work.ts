import type { WorkRow } from '@inventory/work/work-row';

const assembly = {
  collection: 'scans',
  leaseMs: 'ASSEMBLY_LEASE_MS',
  /** After a fault of its own. */
  again: { firstMs: 500, maxMs: 30_000 },
  pollEveryMs: 1_000,
  afterCrash: "the assembly's lease expires; another replica resumes it",
  givesUp: 'after six tries that crashed or failed: the scan is rejected, its refresh ends unpaid',
} as const;

/** Everything that may be pending in this service. Any replica does it. */
export const work = {
  smallScans: {
    name: 'assemblies of small scans',
    ...assembly,
    what: 'a completed scan of at most 8 pages becomes a revision (`scans/assemble-scan`)',
    slots: '`ASSEMBLIES_MAX` of each replica',
  },
  largeScans: {
    name: 'assemblies of large scans',
    ...assembly,
    what: 'one of more pages, which needs memory for all its assets',
    slots: 1,
  },
  inventories: {
    name: 'inventory leases',
    collection: 'scopes',
    what: 'an assembly, an erasure or the pruning changes an inventory',
    slots: 'one of an inventory',
    leaseMs: 'ASSEMBLY_LEASE_MS',
    afterCrash: 'the lease expires; the next holder first settles what the last one decided',
    givesUp: 'never',
  },
} as const satisfies Record<string, WorkRow>;
