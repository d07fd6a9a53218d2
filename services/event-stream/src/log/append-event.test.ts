import type { AccountId, EventId, ProjectId } from '@inventory/contracts/ids';
import type { EventText } from '@inventory/contracts/internal/event-log';
import { newAccountId, newProjectId, newRefreshId } from '@inventory/testkit/builders';
import { only } from '@inventory/testkit/only';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { createAppends } from './append-event.ts';
import type { Claim, LastClaim } from './claim-store.ts';
import type { ProjectLog } from './project-log-store.ts';

const nowMs = Date.UTC(2026, 10, 21);
const settings = { logEpoch: 1, keepMs: 1_000_000 };
const owner: { accountId: AccountId; projectId: ProjectId } = {
  accountId: newAccountId(),
  projectId: newProjectId(),
};

type Flaw =
  | 'believes what it cached'
  | 'leaves a claim without an entry'
  | 'deletes before it records';

const eventAt = (occurredAtMs: number): EventText => ({
  id: `evt_${newRefreshId()}`,
  type: 'inventory.refresh.completed',
  occurredAtMs,
  refreshId: null,
  json: '{}',
});

interface Interruptions {
  readonly tick: () => Promise<void>;
  /** Steps that are the last one of their replica: twice the number of a step, 1 more after its write. */
  readonly cuts: readonly number[];
  /** Steps that wait for long. */
  readonly stalls: readonly number[];
}
const stalledTicks = 25;

/** A log in memory, whose steps wait for their ticks. */
function openWorld({ tick, cuts, stalls }: Interruptions, flaw?: Flaw) {
  const entries = new Map<number, Claim>();
  const recorded = new Map<EventId, number>();
  let claimed: { last: LastClaim; claim: Claim } | null = null;
  let steps = 0;
  /** What a reader that follows the log has read. */
  const seen: EventId[] = [];

  function follow(): void {
    for (let next = entries.get(seen.length + 1); next; next = entries.get(seen.length + 1)) {
      seen.push(next.event.id);
    }
    const head = Math.max(0, ...entries.keys());
    if (head > seen.length) throw new Error(`position ${seen.length + 1} is missing`);
  }

  async function step<Value>(happens: () => Value): Promise<Value> {
    const number = steps++;
    const ticks = stalls.includes(number) ? stalledTicks : 1;
    for (let waited = 0; waited < ticks; waited += 1) await tick();
    const [isLost, isCut] = [cuts.includes(2 * number), cuts.includes(2 * number + 1)];
    if (isLost) throw new Error('crashed before the write');
    const value = happens();
    follow();
    if (isCut) throw new Error('crashed after the write');
    return value;
  }

  const store = only<ProjectLog>({
    readClaim: () => step(() => claimed),
    makeClaim: (_project, last, claim) =>
      step(() => {
        const isSame =
          claimed?.last.position === last?.position && claimed?.last.eventId === last?.eventId;
        const { position, event } = claim;
        // Where some of a command were not made, those that were are found by what they claimed.
        const isMade = claimed?.last.position === position && claimed.last.eventId === event.id;
        if (!isSame && !isMade && flaw !== 'believes what it cached') return null;
        claimed = { last: { position, eventId: event.id, isQueued: true }, claim };
        return claimed.last;
      }),
    insertEntry: (_project, claim) =>
      step(() => {
        const isKnown = [...entries.values()].some(({ event }) => event.id === claim.event.id);
        if (entries.has(claim.position) || isKnown) return null;
        entries.set(claim.position, claim);
        return nowMs;
      }),
    readHead: () => step(() => Math.max(0, ...entries.keys())),
    findEntry: (_project, eventId) =>
      step(() => {
        const found = [...entries.values()].find(({ event }) => event.id === eventId);
        return found ? { ...owner, ...found, logEpoch: 1, appendedAtMs: nowMs } : null;
      }),
    findPruned: (_project, eventId) => step(() => recorded.get(eventId) ?? null),
  });
  const repairs =
    flaw === 'leaves a claim without an entry'
      ? {
          async readClaim(projectId: ProjectId) {
            const read = await store.readClaim(projectId);
            return read && { ...read, claim: null };
          },
        }
      : {};

  return {
    ...{ store: { ...store, ...repairs }, seen, recorded },
    /** All but the newest entry, as by a clock that is far ahead. */
    async prune(): Promise<void> {
      const old = await step(() => [...entries].sort(([a], [b]) => a - b).slice(0, -1));
      const record = () => {
        for (const [position, { event }] of old) recorded.set(event.id, position);
      };
      const remove = () => {
        for (const [position] of old) entries.delete(position);
      };
      const writes = [record, remove];
      for (const write of flaw === 'deletes before it records' ? writes.toReversed() : writes) {
        await step(write);
      }
    },
  };
}

const program = fc.record({
  /** Events that are announced, each several times, and to which replicas. */
  announced: fc.array(
    fc.record({
      isOld: fc.boolean(),
      replicas: fc.array(fc.nat(2), { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  prunes: fc.nat(3),
  cuts: fc.array(fc.nat(120), { maxLength: 6 }),
  stalls: fc.array(fc.nat(60), { maxLength: 6 }),
  scheduler: fc.scheduler(),
});
type Program = typeof program extends fc.Arbitrary<infer Value> ? Value : never;

async function play(
  { announced, prunes, scheduler, ...interruptions }: Program,
  flaw?: Flaw,
): Promise<void> {
  const tick = () => scheduler.schedule(Promise.resolve());
  const { store, seen, recorded, prune } = openWorld({ tick, ...interruptions }, flaw);
  const clock = { now: () => nowMs };
  const replicas = [0, 1, 2].map(() => createAppends(store, clock, settings));

  /** Redelivered until it is acknowledged. A replica that crashed has cached nothing. */
  async function announce(event: EventText, replica: number): Promise<void> {
    for (;;) {
      try {
        await replicas[replica]?.(owner, event);
        return;
      } catch (error) {
        if (!String(error).includes('crashed')) throw error;
        replicas[replica] = createAppends(store, clock, settings);
      }
    }
  }

  const events = announced.map(({ isOld }) => eventAt(isOld ? nowMs - settings.keepMs : nowMs));
  const tasks = announced.flatMap(({ replicas: to }, index) =>
    to.map(async (replica) => {
      await tick();
      await announce(events[index] as EventText, replica);
    }),
  );
  for (let count = 0; count < prunes; count += 1) tasks.push(tick().then(prune).catch(ignoreCrash));
  await scheduler.waitFor(Promise.all(tasks));

  for (const [index, { id }] of events.entries()) {
    const times = seen.filter((one) => one === id).length;
    // A young event that was pruned, by a clock that is wrong by days, may be appended once more.
    const timesMax = announced[index]?.isOld || !recorded.has(id) ? 1 : 2;
    if (times < 1) throw new Error('an event was lost');
    if (times > timesMax) throw new Error('an event was appended twice');
  }
}

function ignoreCrash(error: unknown): void {
  if (!String(error).includes('crashed')) throw error;
}

const isComplete = (flaw?: Flaw) => fc.asyncProperty(program, (given) => play(given, flaw));

test('under any interleaving, crash and pruning each event has one position, contiguous and ascending, and a reader misses none (Events: kept log) [events-gapless]', async () => {
  await fc.assert(isComplete(), { numRuns: propertyRuns(200) });
});

test.each<Flaw>([
  'believes what it cached',
  'leaves a claim without an entry',
  'deletes before it records',
])('the property notices a log that %s', async (flaw) => {
  const checked = await fc.check(isComplete(flaw), { seed: 1, numRuns: 5_000, endOnFailure: true });
  expect(checked.failed).toBe(true);
});
