import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import type { Command } from '../../../src/accounts/command.domain.ts';
import type { Snapshot } from '../../../src/snapshots/snapshot-document.ts';
import { startMs } from '../program.ts';
import { reliable } from '../stored-journal.ts';
import { verifyStored } from '../verify-stored.ts';
import { auditRun } from './audit.ts';
import { messageLog } from './command-log.ts';
import { createStore, type StoreGuarantees } from './fake-journal.ts';
import { assign, deliver, type Partition } from './partition.ts';
import {
  clockOffsetMaxMs,
  type Replica,
  type ReplicaFaults,
  startReplica,
  type World,
} from './replica.ts';
import { createChance, createScheduler } from './scheduler.ts';

export interface SimulationOptions {
  readonly guarantees?: StoreGuarantees;
  readonly replica?: ReplicaFaults;
  /** Positions are committed before the effect. */
  readonly commitsFirst?: boolean;
}

const dayMs = 86_400_000;
const stormSteps = 160;
const drainStepsMax = 20_000;

/**
 * Plays one seed: some commands, a storm of everything that can go wrong, then calm until every
 * command was handled, then everything again from the first record by a process without
 * memory. Returns what is wrong in the end.
 */
export async function simulate(seed: number, options: SimulationOptions = {}): Promise<string[]> {
  const run = prepare(seed, options);
  await storm(run);
  run.world.faults.percent = 0;
  run.world.calm.isCalm = true;
  const stuck = await drain(run);
  if (stuck) return [stuck];
  const beforeRepetition = run.world.store.positions.size;
  const publishedBefore = new Set(run.published.keys());
  for (const partition of run.partitions) partition.committed = 0;
  const stuckAgain = await drain(run);
  if (stuckAgain) return [stuckAgain];
  const grown = run.world.store.positions.size - beforeRepetition;
  const news = [...run.published.keys()].filter((outcome) => !publishedBefore.has(outcome));
  return [
    ...run.problems,
    ...(grown > 0 ? ['commands that came again were journaled again'] : []),
    ...run.world.store.futureEntries.map((id) => `an entry is ahead of every honest clock: ${id}`),
    ...news.map((outcome) => `a command that came again got another outcome: ${outcome}`),
    ...(await verify(run)),
    ...auditRun(run.world.store, run.commands, run.published),
  ];
}

interface Run {
  readonly world: World;
  readonly options: SimulationOptions;
  readonly partitions: readonly Partition[];
  readonly commands: readonly Command[];
  /** Every outcome as it was sent, and how often. */
  readonly published: Map<string, number>;
  readonly problems: string[];
  readonly replicas: Replica[];
}

function prepare(seed: number, options: SimulationOptions): Run {
  const chance = createChance(seed);
  const clock = { now: startMs, latest: startMs };
  const guarantees = options.guarantees ?? { uniqueIds: true, uniqueKeys: true };
  const store = createStore(guarantees, () => clock.latest + clockOffsetMaxMs);
  const { commands, logs } = messageLog(chance);
  const published = new Map<string, number>();
  const problems: string[] = [];
  const world: World = {
    chance,
    scheduler: createScheduler(chance),
    faults: { percent: chance.pick([0, 5, 15, 35]) },
    store,
    snapshots: new Map<string, Snapshot>(),
    clock,
    calm: { isCalm: false },
    onPublished: (messages) => notePublished(messages, { published, problems, world: () => world }),
  };
  const partitions = logs.map((log): Partition => ({ log, readers: [], committed: 0 }));
  const run: Run = { world, options, partitions, commands, published, problems, replicas: [] };
  for (const partition of partitions) assign(partition, newReplica(run));
  return run;
}

function newReplica(run: Run): Replica {
  const replica = startReplica(run.world, run.options.replica);
  run.replicas.push(replica);
  return replica;
}

async function storm(run: Run): Promise<void> {
  const { chance, clock, scheduler } = run.world;
  for (let step = 0; step < stormSteps; step += 1) {
    const partition = chance.pick(run.partitions);
    const move = chance.below(100);
    if (move < 35) deliverSome(run, partition);
    else if (move < 38) crash(run, partition);
    else if (move < 43) assign(partition, chance.pick([...run.replicas, newReplica(run)]));
    else if (move < 46) void chance.pick(run.replicas).saveSnapshots().catch(ignore);
    else if (move < 47) run.world.snapshots.clear();
    else if (move < 50) moveClock(clock, chance.pick([1, 500, 30_000, -20_000, 20 * dayMs]));
    else await scheduler.step();
  }
}

function moveClock(clock: World['clock'], byMs: number): void {
  clock.now += byMs;
  clock.latest = Math.max(clock.latest, clock.now);
}

/** Any reader may continue, also one that lost the partition without noticing. */
function deliverSome(run: Run, partition: Partition): void {
  const { chance } = run.world;
  const reader = chance.percent(75) ? partition.readers.at(-1) : chance.pick(partition.readers);
  const commitsFirst = run.options.commitsFirst ?? false;
  if (reader?.replica.process.isAlive)
    deliver(partition, reader, { chance, batchMax: 8, commitsFirst, onFailure: ignore });
}

function crash(run: Run, partition: Partition): void {
  const owner = partition.readers.at(-1);
  if (!owner) return;
  owner.replica.process.isAlive = false;
  for (const other of run.partitions) {
    if (other.readers.at(-1)?.replica === owner.replica) assign(other, newReplica(run));
  }
}

/** One new process reads every partition to its end; says what it could not get past. */
async function drain(run: Run): Promise<string | null> {
  const { chance, scheduler } = run.world;
  let failure: unknown;
  const onFailure = (error: unknown) => {
    failure = error;
  };
  for (const replica of run.replicas) replica.process.isAlive = false;
  const replica = newReplica(run);
  const reading = run.partitions.map((partition) => ({
    partition,
    reader: assign(partition, replica),
  }));
  for (let step = 0; step < drainStepsMax; step += 1) {
    for (const { partition, reader } of reading) {
      deliver(partition, reader, { chance, batchMax: 8, commitsFirst: false, onFailure });
    }
    if (!(await scheduler.step())) {
      const isIdle = reading.every(
        ({ partition, reader }) => !reader.isBusy && reader.position >= partition.log.length,
      );
      if (isIdle) return null;
    }
  }
  return `not all commands could be answered: ${String(failure)}`;
}

function notePublished(
  messages: readonly OutgoingMessage[],
  noted: Pick<Run, 'published' | 'problems'> & { world: () => World },
): void {
  for (const message of messages) {
    const outcome = outcomeIn(message);
    if (outcome === null) continue;
    const text = JSON.stringify(outcome);
    noted.published.set(text, (noted.published.get(text) ?? 0) + 1);
    if (!noted.world().store.positions.has(`${outcome.accountId}/${outcome.seq}`)) {
      noted.problems.push(`published before it was journaled: ${text}`);
    }
  }
}

/** Whatever says that a command is answered. A conflict is said to its sender alone, and in no entry. */
function outcomeIn(message: OutgoingMessage): BillingOutcome | null {
  if (message.type === 'billing.outcome.v1') return message.body;
  if (message.type !== 'reply.billing-outcome.v1') return null;
  const { outcome } = message.body;
  return outcome?.refusal?.code === 'idempotency_conflict' ? null : outcome;
}

async function verify(run: Run): Promise<string[]> {
  const journal = reliable(run.world.store);
  const snapshots = [...run.world.snapshots.values()].sort((left, right) =>
    left.account.accountId < right.account.accountId ? -1 : 1,
  );
  const { problems } = await verifyStored({ journal, snapshots });
  return problems.map(({ seq, problem }) => `verify: ${seq} ${problem}`);
}

function ignore(): void {}
