import { refusedWrites } from '@inventory/mongo/duplicate-key';
import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import type { Logger } from '@inventory/runtime/logger';
import type { Collection, UpdateFilter } from 'mongodb';
import { z } from 'zod';
import { freshIdentity, type IdentityState } from './egress-identity.domain.ts';
import type { SlotClaim } from './slot-order.domain.ts';

const identity = z.object({
  _id: z.string(),
  version: z.int(),
  arrivalMs: z.number(),
  inFlight: z
    .object({
      token: z.string(),
      untilMs: z.number(),
      read: z.object({ inventory: z.string(), isLive: z.boolean() }).exactOptional(),
    })
    .nullable(),
  cooldownUntilMs: z.number(),
  refusals: z.int(),
  unreachableUntilMs: z.number(),
  connectFailures: z.int(),
  liveCredit: z.number(),
  /** Absent in documents from before there were claims. */
  holder: z.string().nullable().default(null),
  claims: z
    .record(z.string(), z.object({ isLive: z.boolean(), deadlineMs: z.number().nullable() }))
    .default({}),
});
export type IdentityDocument = z.infer<typeof identity>;
const document = { collection: 'identities', schema: identity };

/** The shared state of the egress identities; every save is conditional on what was read. */
export type IdentityStore = ReturnType<typeof createIdentityStore>;

export function createIdentityStore(collection: Collection<IdentityDocument>, logger: Logger) {
  return {
    /** The named identities; missing ones are inserted, corrupt ones begin anew. */
    async loadIdentities(ids: readonly string[]): Promise<IdentityState[]> {
      const found = await collection.find({ _id: { $in: [...ids] } }).toArray();
      const stored = readEach(found, fromDocument, logger);
      const storedIds = new Set(stored.map(({ id }) => id));
      const missing = ids.filter((id) => !storedIds.has(id)).map(freshIdentity);
      if (missing.length === 0) return stored;
      const corrupt = found.filter(({ _id }) => !storedIds.has(_id));
      // As it was read: another replica may have replaced it, or insert them too.
      for (const document of corrupt) await collection.deleteOne(document);
      const documents = missing.map(({ id: _id, ...state }) => ({ _id, ...state }));
      await refusedWrites(collection.insertMany(documents, { ordered: false }));
      return [...stored, ...missing];
    },
    /**
     * As it is then, with the claims that were made since it was read unless the change ends them;
     * null when another replica used the identity meanwhile.
     */
    async saveIdentity(
      previous: IdentityState,
      next: IdentityState,
    ): Promise<IdentityState | null> {
      const { id, claims, ...state } = next;
      const saved = await collection.findOneAndUpdate(
        { _id: id, version: previous.version },
        { $set: claims === previous.claims ? state : { ...state, claims } },
        { returnDocument: 'after' },
      );
      return saved && fromDocument(saved);
    },
    /** Beside the versions of the identity: no save of another replica is refused for it. */
    async saveClaim(id: string, replica: string, claim: SlotClaim | null): Promise<void> {
      const field = `claims.${replica}`;
      const update = claim === null ? { $unset: { [field]: '' } } : { $set: { [field]: claim } };
      await collection.updateOne({ _id: id }, update as UpdateFilter<IdentityDocument>);
    },
  };
}

function fromDocument(stored: IdentityDocument): IdentityState {
  const { _id: id, ...state } = parseDocument(document, stored);
  return { id, ...state };
}
