import { randomUUID } from 'node:crypto';
import type { ServiceName } from '@inventory/contracts/topics';
import type { Stack } from '@inventory/local-stack/stack';
import { pause } from '@inventory/runtime/wait';
import { MongoClient } from 'mongodb';
import type { BenchContext, Benchmark } from '../benchmark.ts';
import { type Customer, newInventory, whileRefused } from '../customer.ts';
import { newAccountIds } from '../ledger-work.ts';
import { openLoop, percentiles } from '../load.ts';
import { besideOthers, type Delays, lessIsBetter, type Row, reported } from '../row.ts';

/** What two cores complete with their clients beside them; the platform's limits feed 28. */
const perSecond = 10;
const reversalsPerSecond = 2;
const quarantinedCount = 200;
const goals = { reversalMs: 60_000, backlogMs: 120_000 };
const pollEveryMs = 250;

/**
 * (t) What cannot be done holds up nothing that can: reversals of accounts in quarantine, which are
 * never decided, and events that no event-stream takes, beside the refreshes and the reversals of
 * others, and how long the events wait once it is back.
 */
export const pendingWork: Benchmark = {
  name: 'pending-work',
  run: (context) =>
    context.withCustomer({}, async (stack, customer) => {
      const client = await MongoClient.connect(stack.mongodbUri);
      try {
        return await measure(context, { stack, client, customer });
      } finally {
        await client.close();
      }
    }),
};

interface Parts {
  readonly stack: Stack;
  readonly client: MongoClient;
  readonly customer: Customer;
}

async function measure({ quick, periodMs, say }: BenchContext, parts: Parts): Promise<Row[]> {
  const awayMs = quick ? 5_000 : 600_000;
  const alone = await startRefreshes(parts, periodMs);
  await quarantineAccounts(parts);
  const eventStreams = parts.stack.services.filter(({ service }) => service === 'event-stream');
  for (const each of eventStreams) each.signal('SIGSTOP');
  const [beside, reversals] = await Promise.all([
    startRefreshes(parts, awayMs),
    timeReversals(parts, awayMs),
  ]);
  const backlog = await countAnnouncements(parts);
  say(`${backlog} events wait for the event-stream.`);
  for (const each of eventStreams) each.signal('SIGCONT');
  const returnedMs = performance.now();
  while ((await countAnnouncements(parts)) > 0) await pause(pollEveryMs);
  const backlogMs = performance.now() - returnedMs;
  return [
    besideOthers(
      'POST refresh to 202 beside work that cannot be done',
      beside.admitted,
      alone.admitted,
    ),
    besideOthers('request to completed, beside it', beside.completed, alone.completed),
    lessIsBetter({
      name: 'reversal beside 200 accounts in quarantine, p99',
      value: reversals.p99Ms,
      unit: 'ms',
      yardstick: goals.reversalMs,
      floor: 1,
    }),
    reported('events that waited for the event-stream', backlog, ''),
    lessIsBetter({
      name: 'until they are in the log, from its return',
      value: backlogMs,
      unit: 'ms',
      yardstick: goals.backlogMs,
      floor: 1,
    }),
  ];
}

/** Refreshes at their pace: until they are accepted, and from the request to the end. */
async function startRefreshes(
  { customer }: Parts,
  periodMs: number,
): Promise<{ readonly admitted: Delays; readonly completed: Delays }> {
  const ids: string[] = [];
  const work = async () => void ids.push(await customer.refresh(newInventory(1)));
  const admitted = await openLoop({ perSecond, periodMs, work });
  const took: number[] = [];
  for (const id of ids) {
    const { requested_at, completed_at } = await customer.completed(id);
    took.push(Date.parse(completed_at) - Date.parse(requested_at));
  }
  return { admitted, completed: percentiles(took) };
}

function collectionOf({ stack, client }: Parts, service: ServiceName, name: string) {
  return client.db(stack.databaseOf(service)).collection<{ _id: string }>(name);
}

/** The ledger reads whom it has in quarantine when it starts; each has a reversal that is due. */
async function quarantineAccounts(parts: Parts): Promise<void> {
  const accounts = newAccountIds(quarantinedCount);
  const quarantined = accounts.map((accountId) => ({
    ...{ _id: accountId, accountId, sinceMs: Date.now() },
    detail: 'benchmark',
  }));
  await collectionOf(parts, 'billing-ledger', 'quarantine').insertMany(quarantined);
  for (const each of parts.stack.services) if (each.service === 'billing-ledger') await each.kill();
  // Accepted once the ledger is back.
  const { customer } = parts;
  await customer.completed(await whileRefused(() => customer.refresh(newInventory(1))));
  const intents = accounts.map((accountId) => dueReversal(accountId, customer.projectId));
  await collectionOf(parts, 'gateway', 'page_intents').insertMany(intents);
}

/** As the gateway stores it for a page that was not delivered. */
function dueReversal(accountId: string, projectId: string) {
  const nowMs = Date.now();
  const requestId = `req_${randomUUID()}`;
  return {
    _id: requestId,
    requestId,
    accountId,
    projectId,
    productCode: 'platform.inventory.current.page.v1',
    chainId: null,
    keyId: null,
    work: { dueAtMs: nowMs, tries: 0, owner: null },
  };
}

/** Of an account that is not in quarantine, from when they are due until they are decided. */
async function timeReversals(parts: Parts, periodMs: number) {
  const { accountId, projectId } = parts.customer;
  const intents = collectionOf(parts, 'gateway', 'page_intents');
  const took: number[] = [];
  const work = async () => {
    const startMs = performance.now();
    const intent = dueReversal(accountId, projectId);
    await intents.insertOne(intent);
    while ((await intents.countDocuments({ _id: intent._id })) > 0) await pause(pollEveryMs);
    took.push(performance.now() - startMs);
  };
  await openLoop({ perSecond: reversalsPerSecond, periodMs, work });
  return percentiles(took);
}

function countAnnouncements(parts: Parts): Promise<number> {
  const refreshes = collectionOf(parts, 'refresh-collector', 'refreshes');
  return refreshes.countDocuments({ 'work.queue': 'announcements' });
}
