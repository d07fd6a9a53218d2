import { randomUUID } from 'node:crypto';
import { commitsCollection, ledgerIndexes } from '@inventory/billing-ledger/collections';
import { createOnBillingCommands } from '@inventory/billing-ledger/journal/on-billing-commands';
import type { AccountId } from '@inventory/contracts/ids';
import type { MessageBus } from '@inventory/messaging/bus';
import { ensureIndexes } from '@inventory/mongo/indexes';
import { type Db, MongoClient } from 'mongodb';
import { adjustCommand } from '../adjust-command.ts';
import { openOwnTopics, silentLogger } from '../bench-bus.ts';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { commitAll, openBenchLedger } from '../ledger-stage.ts';
import { grant, newAccountIds } from '../ledger-work.ts';
import { type LoadResult, openLoop } from '../load.ts';
import { besideOthers } from '../row.ts';
import { startYardstick, type Yardstick } from '../yardsticks/start-yardstick.ts';

const durable = { writeConcern: { w: 'majority', journal: true } } as const;
const neighbours = newAccountIds(8);
const [hot = 'acc_', broken = 'acc_'] = newAccountIds(2);
const perSecond = 40;
/** A backlog arrives at once, ten times as often as any neighbour sends a command. */
const hotBurst = 100;
const hotBurstMs = 500;
const brokenMs = 50;

/** (l) A partition with a hot and a broken account: what their neighbours notice of it. */
export const ledgerNeighbours: Benchmark = {
  name: 'ledger-neighbours',
  async run(context) {
    const client = await MongoClient.connect(context.backends.mongodbUri, durable);
    const db = client.db(`bench_neighbours_${randomUUID().slice(0, 8)}`);
    const topicPrefix = `bench.neighbours.${randomUUID().slice(0, 8)}.`;
    const bus = await openOwnTopics(context.backends.kafkaBrokers, topicPrefix, 1);
    try {
      const startSender = (account: AccountId, burst: number, everyMs: number) =>
        startYardstick('command-sender', [
          ...[context.backends.kafkaBrokers, topicPrefix, account],
          ...[String(burst), String(everyMs)],
        ]);
      const { alone, beside } = await measure(context, { bus, db, startSender });
      return [besideOthers('command to outcome beside a hot and a broken account', beside, alone)];
    } finally {
      await bus.close();
      await db.dropDatabase();
      await client.close();
    }
  },
};

interface Parts {
  readonly bus: MessageBus;
  readonly db: Db;
  /** In a process of its own: what it sends costs the neighbours nothing before the partition. */
  readonly startSender: (account: AccountId, burst: number, everyMs: number) => Promise<Yardstick>;
}

async function measure(
  { periodMs }: BenchContext,
  { bus, db, startSender }: Parts,
): Promise<{ alone: LoadResult; beside: LoadResult }> {
  await ensureIndexes(db, ledgerIndexes);
  const ledger = await openBenchLedger(db);
  await commitAll(ledger, [...neighbours, hot, broken].map(grant));
  ledger.cache.dropAll();
  await db.collection(commitsCollection).updateOne({ accountId: broken }, { $set: { note: 'x' } });
  const waiting = new Map<string, () => void>();
  await bus.broadcast({
    name: 'bench',
    topics: ['billing.outcomes.v1'],
    wants: ({ key }) => neighbours.some((one) => one === key),
    onMessage(message) {
      if (message.type === 'billing.outcome.v1') waiting.get(message.body.commandId)?.();
    },
  });
  await bus.consume({
    group: 'billing-ledger',
    topics: ['billing.commands.v1'],
    batchMax: 500,
    onBatch: createOnBillingCommands(ledger.commitCommands, bus, silentLogger),
  });
  let sent = 0;
  const work = async () => {
    const command = adjustCommand(neighbours[sent % neighbours.length] ?? 'acc_');
    sent += 1;
    const responded = new Promise<void>((resolve) => waiting.set(command.id, resolve));
    await bus.publish([command]);
    await responded;
    waiting.delete(command.id);
  };
  const load = { perSecond, periodMs, work };
  await openLoop(load);
  const alone = await openLoop(load);
  const senders = await Promise.all([
    startSender(hot, hotBurst, hotBurstMs),
    startSender(broken, 1, brokenMs),
  ]);
  const beside = await openLoop(load);
  await Promise.all(senders.map((sender) => sender.stop()));
  return { alone, beside };
}
