import type { CollectionIndexes } from '@inventory/mongo/indexes';

export const commitsCollection = 'commits';
export const snapshotsCollection = 'snapshots';
export const priceListsCollection = 'priceLists';
export const passesCollection = 'passes';

export const ledgerIndexes: readonly CollectionIndexes[] = [
  {
    collection: commitsCollection,
    indexes: [
      {
        // A command is journaled once, whichever replica writes.
        name: 'command_key',
        keys: { commandKeys: 1 },
        options: { unique: true },
      },
      // Accounts active since a time, for the snapshot pass.
      { name: 'at', keys: { at: 1 } },
    ],
  },
  {
    collection: snapshotsCollection,
    indexes: [
      {
        name: 'oldest_hold_at',
        keys: { oldestHoldAt: 1 },
        options: { partialFilterExpression: { oldestHoldAt: { $exists: true } } },
      },
    ],
  },
];
