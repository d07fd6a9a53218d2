import { randomUUID } from 'node:crypto';
import { ledgerIndexes } from '@inventory/billing-ledger/collections';
import type { AccountId } from '@inventory/contracts/ids';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { type Db, MongoClient } from 'mongodb';
import type { Benchmark, BenchOptions } from '../benchmark.ts';
import { hashHistory, historyDays, historyStartMs, writeHistory } from '../ledger-history.ts';
import { commitAll, openBenchLedger } from '../ledger-stage.ts';
import { grant, newAccountIds, pair } from '../ledger-work.ts';
import { openLoop } from '../load.ts';
import { lessIsBetter, moreIsBetter, type Row } from '../row.ts';

const durable = { writeConcern: { w: 'majority', journal: true } } as const;
const sizes = [1_000_000, 10_000_000] as const;
const quickSizes = [2_000, 20_000] as const;
const rounds = 21;
const usageMsMax = 50;
const dayMs = 86_400_000;

interface History {
  readonly db: Db;
  readonly accountId: AccountId;
  readonly entries: number;
}

/** (k) An account with a month of entries, and one with ten times as many. */
export const ledgerHistory: Benchmark = {
  name: 'ledger-history',
  async run({ backends, quick, periodMs, say }) {
    const client = await MongoClient.connect(backends.mongodbUri, durable);
    const histories: History[] = [];
    try {
      for (const entries of quick ? quickSizes : sizes) {
        histories.push(await prepare(client, entries, say));
      }
      const [small, large] = histories;
      if (!small || !large) throw new Error('two sizes are compared');
      return [
        ...(await measureVerification(large, say)),
        ...(await measureStarts(small, large)),
        ...(await measureUsage(
          histories.find(({ entries }) => entries === 1_000_000) ?? large,
          periodMs,
        )),
      ];
    } finally {
      for (const { db } of histories) await db.dropDatabase();
      await client.close();
    }
  },
};

async function prepare(
  client: MongoClient,
  entries: number,
  say: BenchOptions['say'],
): Promise<History> {
  const db = client.db(`bench_history_${randomUUID().slice(0, 8)}`);
  await ensureIndexes(db, ledgerIndexes);
  const [accountId = 'acc_'] = newAccountIds(1);
  await writeHistory(db, accountId, entries);
  say(`${entries} entries are written`);
  // Its first pass rebuilds snapshot and roll-ups from the first entry on.
  await (await openBenchLedger(db)).snapshotPass();
  return { db, accountId, entries };
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (performance.now() - startMs) / 1_000;
}

async function measureVerification(
  { db, entries }: History,
  say: BenchOptions['say'],
): Promise<Row[]> {
  const ledger = await openBenchLedger(db);
  const hashed = entries / (await seconds(() => hashHistory(db)));
  let verified = 0;
  const tookS = await seconds(async () => {
    const record = await ledger.verifier.run();
    if (record.problems.length > 0) throw new Error(JSON.stringify(record.problems.slice(0, 3)));
    verified = record.entries;
  });
  say(`verified ${verified} entries`);
  return [
    moreIsBetter({
      name: `verification of ${entries} entries, against hashing the same bytes`,
      value: verified / tookS,
      unit: '/s',
      yardstick: hashed,
    }),
  ];
}

/** From nothing in memory to the first response of the account, alternately. */
async function measureStarts(small: History, large: History): Promise<Row[]> {
  const start =
    ({ db, accountId }: History) =>
    async () =>
      commitAll(await openBenchLedger(db), pair(accountId));
  const [ofLarge, ofSmall] = await medianMs([start(large), start(small)]);
  return [
    lessIsBetter({
      name: `start to first response with ${large.entries} entries, against ${small.entries}`,
      value: ofLarge,
      unit: 'ms',
      yardstick: ofSmall,
      floor: 0.9,
    }),
  ];
}

/** The median of each, alternately. */
async function medianMs<Works extends readonly (() => Promise<void>)[]>(
  works: readonly [...Works],
): Promise<{ [Index in keyof Works]: number }> {
  const delays = works.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, work] of works.entries()) delays[index]?.push(await seconds(work));
  }
  const middle = Math.floor(rounds / 2);
  const medians = delays.map((own) => (own.toSorted((a, b) => a - b)[middle] ?? 0) * 1_000);
  return medians as { [Index in keyof Works]: number };
}

/** Usage of the month while other accounts are written in the same process. */
async function measureUsage(history: History, periodMs: number): Promise<Row[]> {
  const { db, accountId, entries } = history;
  const ledger = await openBenchLedger(db);
  const others = newAccountIds(100);
  await commitAll(ledger, others.map(grant));
  const fromDay = Math.floor(historyStartMs / dayMs);
  const span = { fromDay, endDay: fromDay + historyDays, projectId: null };
  const loading = { isOn: true };
  const load = (async () => {
    for (let round = 0; loading.isOn; round += 1) {
      const ids = others.slice((round % 10) * 10, (round % 10) * 10 + 10);
      await commitAll(
        ledger,
        ids.flatMap((id) => pair(id)),
      );
    }
  })();
  // Its failure is reported when it is awaited.
  load.catch(() => {});
  const readUsage = async () => {
    const { result } = await ledger.readUsage(accountId, span);
    if (result !== 'read') throw new Error(result);
  };
  const { p99Ms } = await openLoop({ perSecond: 20, periodMs, work: readUsage });
  loading.isOn = false;
  await load;
  return [
    lessIsBetter({
      name: `usage of a month of ${entries} entries beside load, p99`,
      value: p99Ms,
      unit: 'ms',
      yardstick: usageMsMax,
      floor: 1,
    }),
  ];
}
