import { randomUUID } from 'node:crypto';
import type { Backends } from '@inventory/backends/provision-backends';
import { loadConfig, type RefreshCollectorConfig } from '@inventory/refresh-collector/config';
import { type Db, MongoClient } from 'mongodb';
import type { Benchmark } from '../benchmark.ts';
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
const replicaCounts = [1, 10, 50] as const;

/** Documents a second. */
interface Rates {
  readonly read: number;
  readonly written: number;
}

/** Collectors of one database; the operations of each are counted on a client of its own. */
interface Fleet {
  readonly db: Db;
  readonly counts: readonly DocumentCount[];
}

/**
 * (k) What a collector reads and writes beside what exists: 1, 10 and 50 of them on databases of the
 * same content, each with its forty scans of a page every twenty seconds.
 */
export const collectors: Benchmark = {
  name: 'collectors',
  async run({ backends, quick, say }) {
    const client = await MongoClient.connect(backends.mongodbUri);
    const fleets: Fleet[] = [];
    for (const count of replicaCounts) fleets.push(await prepare(client, backends, count));
    const counts = fleets.flatMap((fleet) => fleet.counts);
    const time = installVirtualTime(() => counts.reduce((sum, { inFlight }) => sum + inFlight, 0));
    const replicas: StubReplica[] = [];
    try {
      for (const fleet of fleets) replicas.push(...(await startFleet(fleet, backends, time)));
      await time.advance(settleMs);
      say(`${replicas.length} collectors are at work`);
      return await measure(fleets, time, identitiesReadMs * (quick ? 1 : 2));
    } finally {
      await time.advanceUntil(Promise.all(replicas.map(({ lifetime }) => lifetime.close())));
      await Promise.all(counts.map((counted) => counted.client.close()));
      time.uninstall();
      for (const { db } of fleets) await db.dropDatabase();
      await client.close();
    }
  },
};

async function prepare(client: MongoClient, backends: Backends, count: number): Promise<Fleet> {
  const db = client.db(`bench_collectors_${randomUUID().slice(0, 8)}`);
  await storeScans(db, { running, queued, waiting: count * scansPerReplica });
  const counts: DocumentCount[] = [];
  while (counts.length < count) counts.push(await countDocuments(backends.mongodbUri));
  return { db, counts };
}

/** One after the other: they do not compete for the same leases. */
async function startFleet(
  { db: { databaseName }, counts }: Fleet,
  { mongodbUri }: Backends,
  time: VirtualTime,
): Promise<StubReplica[]> {
  const config = configFor(mongodbUri, databaseName);
  const replicas: StubReplica[] = [];
  for (const { client } of counts) {
    const replica = startStubReplica(client.db(databaseName), config, identities);
    replicas.push(replica);
    while (replica.running() < scansPerReplica) await time.advance(50);
  }
  return replicas;
}

/** The mean of the collectors of each fleet, the one that plans for all included. */
async function measure(
  fleets: readonly Fleet[],
  time: VirtualTime,
  lengthMs: number,
): Promise<Row[]> {
  const totals = () =>
    fleets.map(({ counts }) => {
      const sum = (kind: keyof Rates) => counts.reduce((total, count) => total + count[kind], 0);
      return { read: sum('read'), written: sum('written') };
    });
  const before = totals();
  await time.advance(lengthMs);
  const [one, ...more] = totals().map((total, at): Rates => {
    const count = replicaCounts[at] ?? Number.NaN;
    const rate = (kind: keyof Rates) =>
      (total[kind] - (before[at]?.[kind] ?? Number.NaN)) / (lengthMs / 1_000) / count;
    return { read: rate('read'), written: rate('written') };
  });
  if (!one) throw new Error('one collector is measured');
  return [
    rowsOf(1, one),
    ...more.map((each, at) => rowsOf(replicaCounts[at + 1] ?? 0, each, one)),
  ].flat();
}

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

function configFor(mongodbUri: string, database: string): RefreshCollectorConfig {
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
