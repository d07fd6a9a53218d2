import type { AccountId, RefreshId } from '@inventory/contracts/ids';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import type { MessageBody } from '@inventory/contracts/messages';
import type { FundsRefusal, RefreshRefusal } from '@inventory/contracts/refusal';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newAccountId, newCredentialId, newProjectId, newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { createTestClock } from '@inventory/testkit/test-clock';
import type { Db } from 'mongodb';
import { standardDeadlines } from '../../src/deadlines.ts';
import { putWatch, type WantedWatch } from '../../src/watches/manage-watches.ts';
import type { WatchServices } from '../../src/watches/open-watches.ts';
import { runWatch } from '../../src/watches/run-watch.ts';
import type { Watch } from '../../src/watches/watch.domain.ts';
import type { WatchEligibility } from '../../src/watches/watch-eligibility.ts';
import { createWatchStore, watchCollection } from '../../src/watches/watch-store.ts';
import { viewOf } from './fake-collector.ts';
import { firstPrices } from './fake-ledger-reads.ts';

type Request = MessageBody<'refresh.request.v1'>;
/** Where in its claim a replica dies; with `in_transit` its request is delivered later. */
export type Death = 'in_transit' | 'before_reply' | 'before_write' | 'after_write';

export const claimMs = 30_000;
const hold = 125;
export const noFunds: FundsRefusal = {
  code: 'insufficient_credits',
  detail: { required: hold, available: 3 },
};

interface MadeRun {
  readonly view: RefreshView;
  readonly atMs: number;
  readonly charged: number;
}

export type WatchStage = Awaited<ReturnType<typeof openWatchStage>>;

/** A watch, the collector and the funds of its runs, and replicas that die. */
export async function openWatchStage(
  db: Db,
  { maxCreditsPerDay = null as number | null, everySeconds = 300 } = {},
) {
  const clock = createTestClock(Date.UTC(2026, 10, 26, 12));
  const watches = createWatchStore(db, standardDeadlines, testLogger);
  const refreshes = new Map<RefreshId, MadeRun>();
  const refused = new Map<RefreshId, RefreshRefusal>();
  const requests: Request[] = [];
  const inTransit: Request[] = [];
  const outbox = new Map<string, OutgoingMessage>();
  const stage = {
    clock,
    watches,
    refreshes,
    requests,
    /** What is published, each message once however often it is sent. */
    published: outbox,
    refusal: null as RefreshRefusal | null,
    eligibility: 'active' as WatchEligibility,
    /** Of the account, less what is held. */
    available: Number.POSITIVE_INFINITY,
    dies: null as Death | null,
    /** No decision arrives. */
    isUndecided: false,
    /** No command is sent. */
    isCut: false,
    /** So many reads of refreshes fail. */
    failingReads: 0,
    /** The next read of each misses it, as one may around an election. */
    missed: new Set<RefreshId>(),
  };
  const die = (at: Death) => {
    if (stage.dies === at) throw new Error('killed');
  };

  function decide(request: Request) {
    const { refreshId: id } = request;
    if (!refreshes.has(id) && !refused.has(id)) {
      const refusal = stage.refusal ?? (stage.available < hold ? noFunds : null);
      if (refusal) refused.set(id, refusal);
      else {
        stage.available -= hold;
        const decision = stage.isUndecided ? 'pending' : 'accepted';
        refreshes.set(id, { view: viewOf(request, { decision }), atMs: clock.now(), charged: 0 });
      }
    }
    const refusal = refused.get(id);
    return refusal
      ? ({ decision: 'refused', refusal } as const)
      : ({
          decision: 'accepted',
          priceVersion: 1,
          creditsReserved: hold,
          deadlineAtMs: clock.now() + 1_800_000,
          retryAfterSeconds: 1,
        } as const);
  }

  function cancel(id: RefreshId) {
    if (refreshes.has(id)) return { result: 'cancelling' } as const;
    if (!refused.has(id)) refused.set(id, { code: 'service_unavailable', retry_after_seconds: 1 });
    return { result: 'not_found' } as const;
  }

  async function findRefresh(_accountId: AccountId, id: RefreshId): Promise<RefreshView | null> {
    if (stage.failingReads-- > 0) throw new Error('no primary');
    if (stage.missed.delete(id)) return null;
    const refusal = refused.get(id);
    const made = refreshes.get(id)?.view ?? null;
    if (refusal === undefined) return made;
    const request = requests.find(({ refreshId }) => refreshId === id);
    return request ? viewOf(request, { decision: 'refused', refusal }) : null;
  }

  const running = only<WatchServices>({
    watches: only({
      async settleClaim(...args) {
        die('before_write');
        const ended = await watches.settleClaim(...args);
        die('after_write');
        return ended;
      },
    }),
    eligibilityOf: async () => stage.eligibility,
    prices: only({ readPrices: async () => firstPrices }),
    funds: only({
      recheckFunds: async () => (stage.available < hold ? noFunds : null),
      recordRefusal: () => {},
    }),
    collector: only({ findRefresh }),
    commands: {
      async request({ type, body }) {
        if (stage.isCut) return { result: 'not_sent', cause: 'no broker' };
        const request = body as Request;
        const { refreshId } = request;
        if (type === 'refresh.request.v1') {
          requests.push(request);
          if (stage.dies === 'in_transit') inTransit.push(request);
        }
        die('in_transit');
        const reply = type === 'refresh.cancel.v1' ? cancel(refreshId) : decide(request);
        die('before_reply');
        if (stage.isUndecided) return { result: 'unknown', cause: 'no reply' } as never;
        return { result: 'reply', body: { waitingId: 'w', refreshId, ...reply } } as never;
      },
    } as WatchServices['commands'],
    sendFromOutbox: async (_place, messages) => {
      for (const message of messages) outbox.set(message.id, message);
    },
    clock,
    logger: testLogger,
    decisionTimeoutMs: 10_000,
    deadlines: standardDeadlines,
  });
  const owner = { accountId: newAccountId(), projectId: newProjectId(), scope: newScope() };
  const managing = only<WatchServices>({
    watches,
    clock,
    identifiers: systemIdentifiers,
    watchesMax: 10,
    savedAssets: async () => null,
  });
  const wanted: WantedWatch = {
    ...owner,
    credentialId: newCredentialId(),
    everySeconds,
    language: 'english',
    maxCreditsPerDay,
  };
  /** `between` runs after the watch is read and before it is written, once. */
  const put = (changed: Partial<WantedWatch> = {}, between = async () => {}) => {
    let isRead = false;
    const changeWatch: typeof watches.changeWatch = async (...args) => {
      if (!isRead) await between();
      isRead = true;
      return await watches.changeWatch(...args);
    };
    const deps = { ...managing, watches: { ...watches, changeWatch } };
    return putWatch(deps, { ...wanted, ...changed });
  };
  const made = await put();
  const find = async () => (await watches.findWatch(owner.projectId, owner.scope)) as Watch;

  return Object.assign(stage, {
    made: made.watch,
    managing,
    wanted,
    put,
    find,
    /** Claims the watch where it is due; its replica may die with the claim. */
    async claim(): Promise<void> {
      const pending = await watches.findPending(owner.projectId, owner.scope);
      if (!pending || pending.dueAtMs > clock.now()) return;
      const claimed = await watches.queue.claim(pending, 'replica', clock.now() + claimMs);
      if (claimed) await runWatch(running, claimed).catch(() => {});
    },
    /** Claims the watch at its due time, until one is settled. */
    async claimUntilSettled(): Promise<void> {
      stage.dies = null;
      const { nextRefreshAtMs } = await find();
      while ((await find()).nextRefreshAtMs === nextRefreshAtMs) {
        clock.advance(claimMs + 1);
        await this.claim();
      }
    },
    /** To the next time at which the watch is due. */
    async toNextDueTime(): Promise<void> {
      const { nextRefreshAtMs } = await find();
      clock.advance(Math.max(claimMs + 1, nextRefreshAtMs - clock.now() + 1));
    },
    /** What the outbox of the watch has, as any replica sends it. */
    async flush(): Promise<void> {
      const stored = await db.collection(watchCollection).findOne({ watchId: made.watch.watchId });
      for (const message of (stored?.['outbox'] ?? []) as OutgoingMessage[]) {
        outbox.set(message.id, message);
      }
    },
    /** What was in transit is delivered. */
    deliver(): void {
      for (const request of inTransit.splice(0)) decide(request);
    },
    openRuns: () =>
      [...refreshes.values()].filter(({ view }) => view.record.state !== 'completed').length,
    end(charged: number, outcome: 'complete_changed' | 'private' = 'complete_changed'): void {
      for (const [id, one] of refreshes) {
        if (one.view.record.state === 'completed') continue;
        stage.available += hold - charged;
        const billing = { ...one.view.record.billing, creditsCharged: charged };
        const completedAtMs = clock.now();
        const record = { ...one.view.record, state: 'completed' as const, outcome, completedAtMs };
        const view = { ...one.view, decision: 'accepted' as const, record: { ...record, billing } };
        refreshes.set(id, { ...one, charged, view });
      }
    },
  });
}
