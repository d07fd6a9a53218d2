import { type CollectionIndexes, whereExists } from '@inventory/mongo/indexes';

export const commitsCollection = 'commits';
export const snapshotsCollection = 'snapshots';
export const priceListsCollection = 'priceLists';
export const passesCollection = 'passes';
export const leasesCollection = 'leases';
export const verificationsCollection = 'verifications';
export const quarantineCollection = 'quarantine';
export const usageDaysCollection = 'usageDays';
export const usagePositionsCollection = 'usagePositions';

export const ledgerIndexes: readonly CollectionIndexes[] = [
  {
    collection: commitsCollection,
    shardKey: { accountId: 1 },
    indexes: [
      {
        // A command of an account is journaled once, whichever replica writes.
        name: 'account_command_key',
        keys: { accountId: 1, commandKeys: 1 },
        options: { unique: true },
      },
      // Accounts active since a time, for the snapshot pass: it reads the index alone.
      { name: 'activity', keys: { atMs: 1, accountId: 1, lastSeq: 1 } },
    ],
  },
  {
    collection: snapshotsCollection,
    shardKey: { _id: 1 },
    indexes: [
      {
        name: 'oldest_hold_at',
        keys: { oldestHoldAtMs: 1 },
        options: whereExists('oldestHoldAtMs'),
      },
    ],
  },
  ...[
    priceListsCollection,
    passesCollection,
    leasesCollection,
    verificationsCollection,
    quarantineCollection,
  ].map((collection) => ({ collection, indexes: [] })),
  { collection: usageDaysCollection, shardKey: { _id: 1 }, indexes: [] },
  { collection: usagePositionsCollection, shardKey: { _id: 1 }, indexes: [] },
];
