import { loadConfig, type RefreshCollectorConfig } from '@inventory/refresh-collector/config';
import { MongoClient } from 'mongodb';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { countDocuments, type DocumentCount } from '../collectors/count-documents.ts';
import { storeScans } from '../collectors/stored-scans.ts';
import { type StubReplica, startStubReplica } from '../collectors/stub-replica.ts';
import { installVirtualTime, type VirtualTime } from '../collectors/virtual-time.ts';
import { lessIsBetter, type Row, reported } from '../row.ts';

/**
 * What exists beside the collectors, how many are measured after one alone, and for how long: whole
 * periods in which a collector reads all identities, a hundred a second.
 */
const sizes = {
  running: 2_000,
  queued: 10_000,
  identities: 2_000,
  more: [10, 50],
  settleMs: 5_000,
  lengthMs: 40_000,
};
const quickSizes: Sizes = {
  ...{ running: 400, queued: 1_000, identities: 500, more: [10] },
  // In fewer seconds of a shorter measurement the first read of all refreshes would be most of it.
  ...{ settleMs: 15_000, lengthMs: 10_000 },
};
type Sizes = typeof sizes;

const scansPerReplica = 40;
const database = 'bench_collectors';

/** Documents a second. */
interface Rates {
  readonly read: number;
  readonly written: number;
}

interface Replica {
  readonly counted: DocumentCount;
  readonly scanning: StubReplica;
}

/**
 * (k) What a collector reads and writes beside what exists: the same database with 1, 10 and 50 of
 * them, each with its forty scans of a page every twenty seconds.
 */
export const collectors: Benchmark = {
  name: 'collectors',
  async run(context) {
    const size = context.quick ? quickSizes : sizes;
    const one = await measure(context, size, 1);
    const rows = rowsOf(1, one);
    for (const count of size.more) {
      rows.push(...rowsOf(count, await measure(context, size, count), one));
    }
    return rows;
  },
};

function rowsOf(count: number, each: Rates, one?: Rates): Row[] {
  return (['read', 'written'] as const).map((kind) => {
    const figure = {
      ...{ name: `documents ${kind} by a collector, one of ${count}` },
      ...{ value: each[kind], unit: '/s' },
    };
    return one
      ? lessIsBetter({ ...figure, yardstick: one[kind], floor: 0.8 })
      : reported(figure.name, figure.value, figure.unit);
  });
}

/** The mean of all collectors, the one that plans for all included. */
async function measure(
  { backends, say }: BenchContext,
  { running, queued, identities, settleMs, lengthMs }: Sizes,
  count: number,
): Promise<Rates> {
  const config = configFor(backends.mongodbUri);
  const client = await MongoClient.connect(backends.mongodbUri);
  const db = client.db(database);
  const replicas: Replica[] = [];
  const counts: DocumentCount[] = [];
  await db.dropDatabase();
  await storeScans(db, { running, queued, waiting: count * scansPerReplica });
  for (let opened = 0; opened < count; opened += 1) {
    counts.push(await countDocuments(backends.mongodbUri));
  }
  const time = installVirtualTime(() => counts.reduce((sum, { inFlight }) => sum + inFlight, 0));
  try {
    for (const counted of counts) {
      const scanning = await startStubReplica(counted.client.db(database), config, identities);
      replicas.push({ counted, scanning });
      // One after the other: they do not compete for the same leases.
      while (scanning.running() < scansPerReplica) await time.advance(50);
    }
    await time.advance(settleMs);
    say(`${count} collectors are at work`);
    return await meanRates(replicas, time, lengthMs);
  } finally {
    await time.advanceUntil(Promise.all(replicas.map(({ scanning }) => scanning.lifetime.close())));
    await Promise.all(counts.map((counted) => counted.client.close()));
    time.uninstall();
    await db.dropDatabase();
    await client.close();
  }
}

async function meanRates(
  replicas: readonly Replica[],
  time: VirtualTime,
  lengthMs: number,
): Promise<Rates> {
  const sum = (kind: keyof Rates) =>
    replicas.reduce((total, { counted }) => total + counted[kind], 0);
  const before = { read: sum('read'), written: sum('written') };
  await time.advance(lengthMs);
  const rate = (kind: keyof Rates) =>
    (sum(kind) - before[kind]) / (lengthMs / 1_000) / replicas.length;
  return { read: rate('read'), written: rate('written') };
}

function configFor(mongodbUri: string): RefreshCollectorConfig {
  return loadConfig({
    KAFKA_BROKERS: '127.0.0.1:1',
    MONGODB_URI: mongodbUri,
    MONGODB_DATABASE: database,
    HTTP_PORT: '1',
    REVISION_STORE_URL: 'http://127.0.0.1:1',
    BILLING_LEDGER_URL: 'http://127.0.0.1:1',
    PLATFORM_BASE_URL: 'http://127.0.0.1:1',
    SCANS_MAX: String(scansPerReplica),
  });
}
