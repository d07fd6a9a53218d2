import { parseDocument, readEach } from '@inventory/mongo/parse-document';
import { dateOf } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { Collection } from 'mongodb';
import { z } from 'zod';

/** The presence of a replica, written every second or two by the clock of the store. */
const replicaSchema = z.object({
  _id: z.string(),
  seenAt: z.date(),
  livePagesPerMinute: z.number(),
});
export type ReplicaDocument = z.infer<typeof replicaSchema>;
const document = { collection: 'replicas', schema: replicaSchema };

/** The running replicas of this service. */
export interface Replicas {
  readonly count: number;
  /** Live pages requested from all of them in the last minute. */
  readonly livePagesPerMinute: number;
}

export type ReplicaStore = ReturnType<typeof createReplicaStore>;

const presenceMaxAgeMs = 5_000;

/** The presence of the replicas, each with its load of live pages. No machine's clock is compared. */
export function createReplicaStore(
  collection: Collection<ReplicaDocument>,
  replica: string,
  readTime: () => Promise<number>,
  logger: Logger,
) {
  return {
    /** Records that this replica runs; repeated every second or two. */
    async announceReplica(livePagesPerMinute: number): Promise<void> {
      const update = { $set: { livePagesPerMinute }, $currentDate: { seenAt: true } } as const;
      await collection.updateOne({ _id: replica }, update, { upsert: true });
    },
    async countReplicas(): Promise<Replicas> {
      const seenAfter = dateOf((await readTime()) - presenceMaxAgeMs);
      const stored = await collection.find({ seenAt: { $gt: seenAfter } }).toArray();
      const found = readEach(stored, parseReplica, logger);
      return {
        count: Math.max(1, found.length),
        livePagesPerMinute: found.reduce((sum, one) => sum + one.livePagesPerMinute, 0),
      };
    },
    async removeReplica(): Promise<void> {
      await collection.deleteOne({ _id: replica });
    },
  };
}

const parseReplica = (stored: ReplicaDocument) => parseDocument(document, stored);
