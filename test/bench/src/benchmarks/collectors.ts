import { openCollections } from '@inventory/refresh-collector/collections';
import { loadConfig, type RefreshCollectorConfig } from '@inventory/refresh-collector/config';
import { MongoClient } from 'mongodb';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { countDocuments, type DocumentCount } from '../collectors/count-documents.ts';
import { storeScans } from '../collectors/stored-scans.ts';
import { type StubReplica, startStubReplica } from '../collectors/stub-replica.ts';
import { installVirtualTime, type VirtualTime } from '../collectors/virtual-time.ts';
import { lessIsBetter, type Row, reported } from '../row.ts';

const running = 2_000;
const queued = 10_000;
const scansPerReplica = 40;
const identities = 2_000;
const settleMs = 5_000;
/** How often a collector reads this many identities: a measurement contains whole periods. */
const identitiesReadMs = 20_000;
const database = 'bench_collectors';

/** Documents a second. */
interface Rates {
  readonly read: number;
  readonly written: number;
}

interface Figures {
  /** The mean of all replicas, the planning one included. */
  readonly each: Rates;
  readonly planning: Rates;
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
    const one = await measure(context, 1);
    const rows = rowsOf(1, one);
    for (const count of [10, 50]) rows.push(...rowsOf(count, await measure(context, count), one));
    return rows;
  },
};

function rowsOf(count: number, { each, planning }: Figures, one?: Figures): Row[] {
  const kinds = ['read', 'written'] as const;
  return kinds.flatMap((kind) => {
    const name = `documents ${kind} by a collector, one of ${count}`;
    const unit = '/s';
    const row = one
      ? lessIsBetter({ name, value: each[kind], unit, yardstick: one.each[kind], floor: 0.8 })
      : reported(name, each[kind], unit);
    return [row, reported(`the same by the one that plans for ${count}`, planning[kind], unit)];
  });
}

async function measure({ backends, quick, say }: BenchContext, count: number): Promise<Figures> {
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
      const scanning = startStubReplica(counted.client.db(database), config, identities);
      replicas.push({ counted, scanning });
      // One after the other: they do not compete for the same leases.
      while (scanning.running() < scansPerReplica) await time.advance(50);
    }
    await time.advance(settleMs);
    say(`${count} collectors are at work`);
    const rates = await ratesOver(replicas, time, identitiesReadMs * (quick ? 1 : 2));
    const plan = await openCollections(db).plans.findOne({ _id: 'plan' });
    const owner = plan?.lease?.owner;
    const leading = replicas.findIndex(({ scanning }) => owner?.startsWith(scanning.name));
    return { each: meanOf(rates), planning: rates[leading] ?? meanOf(rates) };
  } finally {
    await time.advanceUntil(Promise.all(replicas.map(({ scanning }) => scanning.lifetime.close())));
    await Promise.all(counts.map((counted) => counted.client.close()));
    time.uninstall();
    await db.dropDatabase();
    await client.close();
  }
}

async function ratesOver(
  replicas: readonly Replica[],
  time: VirtualTime,
  lengthMs: number,
): Promise<Rates[]> {
  const figures = () => replicas.map(({ counted: { read, written } }) => ({ read, written }));
  const before = figures();
  await time.advance(lengthMs);
  const seconds = lengthMs / 1_000;
  return figures().map(({ read, written }, index) => ({
    read: (read - (before[index]?.read ?? 0)) / seconds,
    written: (written - (before[index]?.written ?? 0)) / seconds,
  }));
}

function meanOf(rates: readonly Rates[]): Rates {
  const mean = (kind: keyof Rates) =>
    rates.reduce((sum, rate) => sum + rate[kind], 0) / rates.length;
  return { read: mean('read'), written: mean('written') };
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
