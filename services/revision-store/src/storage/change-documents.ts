import { revisionId } from '@inventory/contracts/ids';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import type { Binary } from 'mongodb';
import { z } from 'zod';
import { changeSet } from '../domain/change-chain.ts';

/** A change set that the head's document does not have any more, or never had. */
export const keptChangeSet = changeSet.extend({
  /** `<root of the chain>/<ordinal or revision before>/<ordinal after>` */
  _id: z.string(),
  scope: z.string(),
  root: revisionId,
  /** When the revision that it leads to was superseded; null while that is the head. */
  supersededAtMs: z.number().nullable(),
});
export type KeptChangeSet = Readonly<z.infer<typeof keptChangeSet>>;

/** What a block has beside its rows. */
export interface ChangeBlockFields {
  /** `<change set>/<index>`; `<change set>/<index>/before` where the rows before are apart. */
  readonly _id: string;
  readonly scope: string;
  readonly set: string;
  readonly index: number;
  /** The keys of the last change before it, '' for none, and of its own last one. */
  readonly previousKey?: string;
  readonly lastKey?: string;
  /** 32-bit little-endian, one per change; 0 is none. */
  readonly afterLengths?: Binary;
  readonly beforeLengths?: Binary;
}

/** Consecutive changes of a change set, by their keys. */
export interface ChangeBlockDocument extends ChangeBlockFields {
  /** The rows after the changes and, unless they are apart, then those before them. */
  readonly rows: Binary;
  readonly rowsRawBytes: number;
}

export const changeIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'change_sets',
    shardKey: { scope: 1 },
    indexes: [
      { name: 'scope_from', keys: { scope: 1, from: 1, toOrdinal: 1 } },
      { name: 'scope_superseded', keys: { scope: 1, supersededAtMs: 1 } },
      { name: 'scope_set', keys: { scope: 1, setId: 1 } },
    ],
  },
  {
    collection: 'change_blocks',
    shardKey: { scope: 1 },
    indexes: [{ name: 'scope_set_key', keys: { scope: 1, set: 1, lastKey: 1 } }],
  },
];
