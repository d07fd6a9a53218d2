import type { OutgoingMessage, ReceivedMessage } from '@inventory/messaging/bus';
import type { Clock } from '@inventory/runtime/clock';
import { createLogger } from '@inventory/runtime/logger';
import { only } from '@inventory/testkit/only';
import { createAccountCache } from '../../../src/journal/account-cache.ts';
import { createCommitCommands } from '../../../src/journal/commit-commands.ts';
import { createJournalClock } from '../../../src/journal/journal-clock.ts';
import type { Journal } from '../../../src/journal/journal-store.ts';
import { createLoadAccount, createLoadPart } from '../../../src/journal/load-account.ts';
import { createOnBillingCommands } from '../../../src/journal/on-billing-commands.ts';
import { createRecentEntries } from '../../../src/journal/recent-entries.ts';
import {
  createBringUpToDate,
  createSnapshotRebuilds,
} from '../../../src/snapshots/rebuild-snapshots.ts';
import { createSnapshotSaver } from '../../../src/snapshots/save-snapshots.ts';
import type { Snapshot } from '../../../src/snapshots/snapshot-document.ts';
import type { SnapshotStore } from '../../../src/snapshots/snapshot-store.ts';
import { emptyQuarantine, neverRejected } from '../no-quarantine.ts';
import { fixedPrices } from '../stored-journal.ts';
import { ConnectionLost, connectJournal, type Faults, type Store } from './fake-journal.ts';
import type { Chance, Process, Scheduler } from './scheduler.ts';

/** What all processes of a simulation share. */
export interface World {
  readonly chance: Chance;
  readonly scheduler: Scheduler;
  readonly faults: Faults;
  readonly store: Store;
  readonly snapshots: Map<string, Snapshot>;
  /** `latest` is the latest time that was ever now. */
  readonly clock: { now: number; latest: number };
  /** Once calm, every clock is right. */
  readonly calm: { isCalm: boolean };
  /** Called at the moment the broker has the messages. */
  readonly onPublished: (messages: readonly OutgoingMessage[]) => void;
}

/** One process of the service, wired as its composition wires it. */
export interface Replica {
  readonly process: Process;
  onBatch(messages: readonly ReceivedMessage[]): Promise<void>;
  onReassigned(): void;
  saveSnapshots(): Promise<void>;
}

/** Ways to build a replica wrongly, to see that the simulation notices. */
export interface ReplicaFaults {
  readonly wrapJournal?: (journal: Journal) => Journal;
  readonly keepsCache?: boolean;
  readonly dropsOutcomes?: boolean;
  /** Counts the commands of an account that is not up to date as done. */
  readonly dropsPostponed?: boolean;
}

/** Clocks differ by less than this, but for those that are wrong. */
export const clockOffsetMaxMs = 10_000;

/** Some messages of a batch have to be delivered again. */
class Postponed extends Error {
  override name = 'Postponed';
}

const logger = createLogger({ service: 'simulation', level: 'silent' });

export function startReplica(world: World, planted: ReplicaFaults = {}): Replica {
  const { chance, scheduler, faults } = world;
  const process: Process = { isAlive: true };
  const connected = connectJournal({ ...world, process });
  const journal = planted.wrapJournal?.(connected) ?? connected;
  const snapshots = connectSnapshots(world, process);
  // Small on purpose: what a big process forgets in weeks, this one forgets at once.
  const accounts = createAccountCache(1 + chance.below(3));
  const cache = planted.keepsCache
    ? {
        ...accounts,
        drop: () => {},
        dropAll: () => {},
        get generation() {
          return 0;
        },
      }
    : accounts;
  const keeper = createSnapshotSaver({
    cache,
    snapshots: only(snapshots),
    rollUpUsage: async () => {},
    everyEntries: 1 + chance.below(4),
    logger,
  });
  const entriesMax = 2 + chance.below(10);
  const loadPart = createLoadPart({ journal, snapshots: only(snapshots), entriesMax });
  const rebuilds = createSnapshotRebuilds({
    bringUpToDate: createBringUpToDate({ loadPart, snapshots: only(snapshots) }),
    cache,
    quarantine: only(emptyQuarantine),
    runLeased: async (_name, work) => work(new AbortController().signal),
    logger,
  });
  const commit = createCommitCommands({
    journal,
    quarantine: only(emptyQuarantine),
    rebuilds,
    loadAccount: createLoadAccount(loadPart, rebuilds.add),
    cache,
    recent: createRecentEntries(1 + chance.below(12)),
    prices: fixedPrices,
    clock: only(journalClockOf(world, driftingClock(world))),
    limits: { entriesMax: 1 + chance.below(6), bytesMax: 256 * 1024 },
    onCommitted: keeper.noteCommit,
  });
  const publish = (messages: readonly OutgoingMessage[]) =>
    scheduler.call(process, () => {
      const isLost = chance.percent(faults.percent);
      const reached = isLost ? chance.below(messages.length + 1) : messages.length;
      world.onPublished(messages.slice(0, reached));
      if (isLost) throw new ConnectionLost('publishing');
    });
  const bus = {
    publish: planted.dropsOutcomes
      ? (messages: readonly OutgoingMessage[]) => publish(messages).catch(() => {})
      : publish,
  };
  const handle = createOnBillingCommands(commit, only(bus), logger);
  const onBatch: Replica['onBatch'] = async (messages) => {
    const postponed: ReceivedMessage[] = [];
    await handle(messages, neverRejected, (message) => postponed.push(message));
    if (postponed.length === 0 || planted.dropsPostponed) return;
    await rebuilds.run();
    throw new Postponed('they come again');
  };
  return {
    process,
    onBatch,
    onReassigned: () => cache.dropAll(),
    saveSnapshots: keeper.saveDue,
  };
}

/** No two processes agree on the time, and some clocks are wrong until they are set. */
function driftingClock({ chance, clock, calm }: World): Clock {
  const driftMs = chance.below(2 * clockOffsetMaxMs) - clockOffsetMaxMs;
  const wrongMs = chance.percent(15) ? chance.pick([-86_400_000, 3_600_000, 40 * 86_400_000]) : 0;
  return { now: () => clock.now + driftMs + (calm.isCalm ? 0 : wrongMs) };
}

function journalClockOf({ clock }: World, machineClock: Clock): Clock {
  const journalClock = createJournalClock({
    clock: machineClock,
    monotonicNow: () => clock.now,
    readStoreTime: async () => clock.now,
    offsetMaxMs: clockOffsetMaxMs,
  });
  void journalClock.measure();
  return journalClock;
}

function connectSnapshots(
  world: World,
  process: Process,
): Pick<SnapshotStore, 'findSnapshot' | 'saveSnapshot'> {
  const { snapshots, scheduler, chance, faults } = world;
  const lose = () => {
    if (chance.percent(faults.percent)) throw new ConnectionLost('snapshots');
  };
  return {
    findSnapshot: (accountId) =>
      scheduler.call(process, () => {
        lose();
        return snapshots.get(accountId) ?? null;
      }),
    saveSnapshot: ({ account, head }) =>
      scheduler.call(process, () => {
        lose();
        const stored = snapshots.get(account.accountId);
        if ((stored?.account.lastSeq ?? 0) >= account.lastSeq) return;
        snapshots.set(account.accountId, { account, head });
      }),
  };
}
