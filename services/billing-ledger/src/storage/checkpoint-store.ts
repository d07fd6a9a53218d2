import { type AccountId, accountId } from '@inventory/contracts/ids';
import { dateOf } from '@inventory/runtime/clock';
import { BSON, type Db } from 'mongodb';
import { z } from 'zod';
import { checkpointsCollection } from './collections.ts';
import { isSigned, sign } from './sealed-document.ts';
import {
  accountFields,
  fromAccountFields,
  type Snapshot,
  toAccountFields,
} from './snapshot-document.ts';

/**
 * An account up to which its journal was verified, signed with a key that the database does not
 * have. The next verification continues from it.
 */
export interface CheckpointStore {
  /** `invalid`: it was not signed by a known key, or is not readable. */
  findCheckpoint(accountId: AccountId): Promise<Snapshot | 'invalid' | null>;
  saveCheckpoint(checkpoint: Snapshot, verifiedAtMs: number): Promise<void>;
}

const checkpointFormat = 1;
/** More open holds than this do not fit a document; such an account is verified from its start. */
const holdsMax = 40_000;

const checkpointDocument = z.object({
  _id: accountId,
  format: z.literal(checkpointFormat),
  ...accountFields,
  verifiedAt: z.date(),
  signature: z.string(),
});
type CheckpointDocument = z.infer<typeof checkpointDocument>;

/** `keys`: the first signs, each is accepted. */
export function createCheckpointStore(
  db: Db,
  keys: readonly [Buffer, ...Buffer[]],
): CheckpointStore {
  const checkpoints = db.collection<CheckpointDocument>(checkpointsCollection);
  return {
    async findCheckpoint(account) {
      const found = checkpoints.find({ _id: account }, { raw: true, limit: 1 });
      const [stored] = (await found.toArray()) as unknown as Uint8Array[];
      if (stored === undefined) return null;
      const parsed = checkpointDocument.safeParse(BSON.deserialize(stored));
      if (!parsed.success || !isSigned(stored, parsed.data.signature, keys)) return 'invalid';
      return fromAccountFields(account, parsed.data) ?? 'invalid';
    },
    async saveCheckpoint(checkpoint, verifiedAtMs) {
      const { accountId: account, holds } = checkpoint.account;
      if (holds.size > holdsMax || checkpoint.head.commitId === null) return;
      const unsigned = {
        _id: account,
        format: checkpointFormat,
        ...toAccountFields(checkpoint),
        verifiedAt: dateOf(verifiedAtMs),
      } as const;
      const document = sign(unsigned, keys[0]);
      await checkpoints.replaceOne({ _id: account }, document, { upsert: true });
    },
  };
}
