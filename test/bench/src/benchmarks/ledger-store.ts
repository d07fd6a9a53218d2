import { randomUUID } from 'node:crypto';
import type { Command } from '@inventory/billing-ledger/accounts/command.domain';
import { commitsCollection, ledgerIndexes } from '@inventory/billing-ledger/collections';
import type { AccountId } from '@inventory/contracts/ids';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { type Db, type Document, MongoClient } from 'mongodb';
import type { Benchmark } from '../benchmark.ts';
import { commitAll, openBenchLedger } from '../ledger-stage.ts';
import { grant, newAccountIds, pair } from '../ledger-work.ts';
import { moreIsBetter } from '../row.ts';

const accounts = 1_000;
const pairsPerBatch = 250;
const durable = { writeConcern: { w: 'majority', journal: true } } as const;

interface StoreRates {
  readonly ours: number;
  /** The same documents, ready made, into a collection with the same indexes. */
  readonly bare: number;
}

/** (d) The ledger on its store, one batch in flight, against bare inserts of its documents. */
export const ledgerStore: Benchmark = {
  name: 'ledger-store',
  async run({ backends, quick }) {
    const client = await MongoClient.connect(backends.mongodbUri, durable);
    const batches = quick ? 20 : 80;
    try {
      const spread = await measure(client, batches, accounts);
      const hot = await measure(client, batches, 1);
      return [
        moreIsBetter({
          name: 'ledger with its store, pairs, against bare inserts of the same documents',
          value: spread.ours,
          unit: '/s',
          yardstick: spread.bare,
          floor: 0.5,
        }),
        moreIsBetter({
          name: 'ledger with its store, one hot account, against spread load',
          value: hot.ours,
          unit: '/s',
          yardstick: spread.ours,
          floor: 0.8,
        }),
      ];
    } finally {
      await client.close();
    }
  },
};

async function measure(
  client: MongoClient,
  batches: number,
  accountCount: number,
): Promise<StoreRates> {
  const db = client.db(`bench_ledger_${randomUUID().slice(0, 8)}`);
  await ensureIndexes(db, ledgerIndexes);
  const ledger = await openBenchLedger(db);
  const ids = newAccountIds(accountCount);
  await commitAll(ledger, ids.map(grant));
  const ours = await pairsPerSecond(batches, (index) => commitAll(ledger, commandsOf(ids, index)));

  const documents = await db
    .collection(commitsCollection)
    .find({ lastSeq: { $gt: 1 } })
    .sort({ atMs: 1 })
    .toArray();
  const perBatch = Math.ceil(documents.length / batches);
  const bareDb = client.db(`${db.databaseName}_bare`);
  await ensureIndexes(bareDb, ledgerIndexes);
  const bare = await pairsPerSecond(batches, (index) =>
    insertSlice(bareDb, documents, index * perBatch, perBatch),
  );
  for (const used of [db, bareDb]) await used.dropDatabase();
  return { ours, bare };
}

async function insertSlice(
  db: Db,
  documents: readonly Document[],
  from: number,
  count: number,
): Promise<void> {
  const slice = documents.slice(from, from + count);
  if (slice.length > 0)
    await db.collection(commitsCollection).insertMany(slice, { ordered: false });
}

/** A batch of pairs, distributed over the accounts round-robin. */
function commandsOf(ids: readonly AccountId[], batch: number): Command[] {
  return Array.from({ length: pairsPerBatch }, (_, index) =>
    pair(ids[(batch * pairsPerBatch + index) % ids.length] ?? 'acc_'),
  ).flat();
}

async function pairsPerSecond(
  batches: number,
  work: (index: number) => Promise<void>,
): Promise<number> {
  const startMs = performance.now();
  for (let index = 0; index < batches; index += 1) await work(index);
  return ((batches * pairsPerBatch) / (performance.now() - startMs)) * 1_000;
}
