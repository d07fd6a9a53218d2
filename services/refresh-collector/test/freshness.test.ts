import type { RevisionId } from '@inventory/contracts/ids';
import type { RefreshRequest } from '@inventory/contracts/messages/refresh';
import type { SavedObservation } from '@inventory/contracts/messages/revision';
import type { InternalClient } from '@inventory/http/internal-client';
import { newProjectId, newRefreshId, newScope } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import type { Collection } from 'mongodb';
import { admitAttempt } from '../src/admission/admit-attempt.ts';
import type { Admission } from '../src/admission/open-admission.ts';
import { openObservations } from '../src/observations/open-observations.ts';
import type { Refresh } from '../src/saga/refresh.domain.ts';
import type { RefreshDocument } from '../src/saga/refresh-document.ts';
import { createRefreshListStore } from '../src/saga/refresh-list-store.ts';
import { acceptedRefresh } from './refresh-builder.ts';
import { openStoredRefreshes, type StoredRefreshes } from './stored-refreshes.ts';

let stored: StoredRefreshes;
beforeAll(async () => {
  stored = await openStoredRefreshes();
});
afterAll(() => stored.close());

const revisionId: RevisionId = 'invrev_0198c0de-0000-7000-8000-000000000003';
const previousRevisionId: RevisionId = 'invrev_0198c0de-0000-7000-8000-000000000002';

const allowed = (maxAgeSeconds: number) => ({ maxAgeSeconds, priceVersion: 3 });

type Received = Parameters<typeof admitAttempt>[1];

function attempt(fields: Partial<RefreshRequest> = {}): RefreshRequest {
  return {
    ...acceptedRefresh(),
    freshness: { maxAgeSeconds: 60, priceVersion: 3 },
    requestedAtMs: stored.clock.now(),
    ...fields,
  };
}

/** As its gateway sends it, which waits for the decision. */
function receivedOf(body: RefreshRequest): Received {
  return only<Received>({ body, waitingId: `gateway:${body.refreshId}`, trace: {} });
}

/** A revision-store that has this observation of every inventory. */
const storeWith = (latest: SavedObservation | 'away' | null) =>
  only<InternalClient>({
    call: (async () => {
      if (latest === 'away') throw new Error('away');
      return latest;
    }) as never,
  });

interface Conditions {
  readonly latest?: SavedObservation | 'away' | null;
  readonly collection?: Collection<RefreshDocument>;
}

/** A collector without its Kafka that admits nothing: only what is saved can answer. */
function openCollector({ latest = observed(), collection }: Conditions = {}) {
  const saga = stored.openSaga(stored.openStore(collection));
  const closed = {
    code: 'product_unavailable',
    detail: { admission_state: 'closed', reason: 'operator_closed' },
    retry_after_seconds: 60,
  } as const;
  const admission = only<Admission>({
    saga,
    watch: only({ admit: async () => closed, countAhead: () => 0, decrement: () => {} }),
    observations: openObservations(saga, only({}), storeWith(latest)),
    expectations: {
      pagesOf: async () => null,
      estimateOf: () => ({ retryAfterSeconds: 1, expectedCompletedMs: null }),
    },
    queueMs: 1_800_000,
  });
  return {
    admit: (request: RefreshRequest) => admitAttempt(admission, receivedOf(request)),
    sent: () => saga.sent.map(({ type, body }) => ('decision' in body ? body.decision : type)),
    decision: () => saga.sent.find(({ type }) => type === 'reply.refresh-decision.v1')?.body,
  };
}

function observed(ageMs = 30_000): SavedObservation {
  const verifiedAtMs = stored.clock.now() - ageMs;
  const observed = { revisionId, previousRevisionId, language: 'english', changed: true } as const;
  return { ...observed, verifiedAtMs, observedAssets: 4_001 };
}

const find = async (id: string) => await stored.openStore().findRefresh(id);

describe('an observation that is young enough [max-age-seconds]', () => {
  it('answers at once while admission is closed; nothing is reserved, and its event is due (Freshness)', async () => {
    const collector = openCollector();
    const request = attempt();
    await collector.admit(request);

    expect(collector.sent()).toEqual(['saved', 'refresh.completed.v1']);
    expect(collector.decision()).toMatchObject({ revisionId, priceVersion: 3 });
    expect(await find(request.refreshId)).toMatchObject({
      phase: 'completed',
      outcome: 'complete_unchanged',
      revisionId,
      billing: { disposition: 'finalize_saved', reserved: 0, charged: 0, released: 0 },
    });
    const read = () => stored.collection.findOne({ _id: request.refreshId });
    expect((await read())?.work).toMatchObject({ queue: 'announcements' });

    // Each report is delivered twice, and one is of a refresh that is gone.
    const store = stored.openStore();
    await Promise.all(
      [request.refreshId, request.refreshId, newRefreshId()].map(store.recordAppended),
    );

    const appended = await read();
    expect(appended).toMatchObject({ eventAppended: true, version: 2, phase: 'completed' });
    expect(appended?.work).toBeUndefined();
    expect(await find(request.refreshId)).toMatchObject({ eventAppended: true, revisionId });
  });

  it('answers a redelivered command and another attempt with its key by the one that is stored, whatever is observed since (Freshness)', async () => {
    const request = attempt({ idempotencyKey: 'key' });
    await openCollector().admit(request);

    const later = openCollector({ latest: null });
    await later.admit(request);
    const again = attempt({ projectId: request.projectId, idempotencyKey: 'key' });
    await later.admit(again);

    expect(later.sent()).toEqual(['saved', 'refresh.completed.v1', 'duplicate']);
    expect(await find(again.refreshId)).toBeNull();
  });

  it('is announced by the redelivered command when the process dies right after its only write (Freshness)', async () => {
    const request = attempt();
    const dying = openCollector({ collection: dyingAfterInsert() });
    await expect(dying.admit(request)).rejects.toThrow('killed');
    expect(dying.sent()).toEqual([]);

    const restarted = openCollector({ latest: null });
    await restarted.admit(request);
    expect(restarted.sent()).toEqual(['saved', 'refresh.completed.v1']);
    expect(await stored.collection.countDocuments({ _id: request.refreshId })).toBe(1);
  });
});

test.each([
  ['is too old', () => observed(60_001)],
  ['was collected in another language', () => ({ ...observed(), language: 'german' as const })],
  ['is missing', () => null],
  ['cannot be read', () => 'away' as const],
])(
  'an observation that %s leaves the decision to admission (Freshness) [max-age-seconds]',
  async (_why, latest) => {
    const collector = openCollector({ latest: latest() });
    await collector.admit(attempt({ projectId: newProjectId() }));

    expect(collector.sent()).toEqual(['refused']);
  },
);

test('a refresh that states no max_age_seconds asks for no observation (Freshness) [max-age-seconds]', async () => {
  const collector = openCollector();
  await collector.admit(attempt({ freshness: null }));

  expect(collector.sent()).toEqual(['refused']);
});

describe('an observation that is committed', () => {
  /** What waits in the queue of one inventory, by why it may or may not be completed. */
  async function queueEach(scope: Refresh['scope']): Promise<Map<string, Refresh>> {
    const all: Record<string, Partial<Refresh>> = {
      satisfied: {},
      'satisfied too': { freshness: allowed(30) },
      'older than it allows': { freshness: allowed(29) },
      'of another language': { language: 'german' },
      'always scanned': { freshness: null },
      'being collected': { phase: 'collecting' },
      'not reserved yet': { phase: 'accepted' },
      'of another inventory': { scope: { ...scope, context_id: scope.context_id + 1 } },
    };
    const queued = new Map<string, Refresh>();
    for (const [why, fields] of Object.entries(all)) {
      const refresh = acceptedRefresh({
        phase: 'queued',
        scope,
        freshness: allowed(60),
        ...fields,
      });
      await stored.openStore().insertRefresh(refresh);
      queued.set(why, refresh);
    }
    return queued;
  }

  async function commit(scope: Refresh['scope'], latest: SavedObservation | null) {
    const saga = stored.openSaga();
    const lists = createRefreshListStore(stored.collection, testLogger);
    await openObservations(saga, lists, storeWith(latest)).takeCommitted(scope);
    return saga.sent.map(({ id }) => id);
  }

  it('completes every waiting refresh of the inventory that it satisfies, and no other, once (Freshness) [max-age-seconds]', async () => {
    const scope = newScope();
    const queued = await queueEach(scope);
    const ids = ['satisfied', 'satisfied too'].map((why) => queued.get(why)?.refreshId ?? why);

    const sent = await commit(scope, observed());
    const again = await commit(scope, observed());

    expect(sent.toSorted()).toEqual(ids.map((id) => `settle:${id}`).toSorted());
    expect(again).toEqual([]);
    for (const [why, { refreshId: id, phase }] of queued) {
      const now = await find(id);
      expect([why, now?.phase]).toEqual([why, ids.includes(id) ? 'settling' : phase]);
      if (!ids.includes(id)) continue;
      const taken = { outcome: 'complete_changed', revisionId, previousRevisionId };
      expect(now).toMatchObject({ ...taken, observedAssets: 4_001, scan: null });
    }
  });

  it('that cannot be read leaves them to their scans (Freshness) [max-age-seconds]', async () => {
    const scope = newScope();
    await queueEach(scope);

    expect(await commit(scope, null)).toEqual([]);
  });
});

/** The collection of a process that is killed once its insert is durable. */
function dyingAfterInsert(): Collection<RefreshDocument> {
  return new Proxy(stored.collection, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]) => {
        const result: unknown = await Reflect.apply(member, target, args);
        if (String(name).startsWith('insert')) throw new Error('killed');
        return result;
      };
    },
  });
}
