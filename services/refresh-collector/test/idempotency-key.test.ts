import type { RefreshRequest } from '@inventory/contracts/messages/refresh';
import { newProjectId } from '@inventory/testkit/builders';
import { only } from '@inventory/testkit/only';
import type { Collection } from 'mongodb';
import { admitAttempt } from '../src/admission/admit-attempt.ts';
import type { Admission } from '../src/admission/open-admission.ts';
import { applyFact } from '../src/saga/apply-fact.ts';
import type { Refresh } from '../src/saga/refresh.domain.ts';
import type { RefreshDocument } from '../src/saga/refresh-document.ts';
import type { Fact } from '../src/saga/refresh-fact.domain.ts';
import type { RefreshStore } from '../src/saga/refresh-store.ts';
import { acceptedRefresh } from './refresh-builder.ts';
import { openStoredRefreshes, type StoredRefreshes } from './stored-refreshes.ts';

let stored: StoredRefreshes;
beforeAll(async () => {
  stored = await openStoredRefreshes();
});
afterAll(() => stored.close());

const noFunds: Fact = {
  fact: 'reserve_refused',
  refusal: { code: 'insufficient_credits', detail: { required: 125, available: 3 } },
};
const openAdmission = {
  admit: () => Promise.resolve(null),
  countAhead: () => 4,
  decrement: () => {},
};

type Received = Parameters<typeof admitAttempt>[1];

function attempt(fields: Partial<RefreshRequest> = {}): RefreshRequest {
  return {
    ...acceptedRefresh(),
    idempotencyKey: 'key',
    requestedAtMs: stored.clock.now(),
    ...fields,
  };
}

/** As its gateway sends it, which waits for the decision. */
function receivedOf(body: RefreshRequest): Received {
  return only<Received>({ body, waitingId: `gateway:${body.refreshId}`, trace: {} });
}

/** A collector without its Kafka: requests, refusals, and what it sent. */
function openCollector(refreshes: RefreshStore = stored.openStore()) {
  const saga = stored.openSaga(refreshes);
  const admission = only<Admission>({
    saga,
    watch: only(openAdmission),
    observations: only({ find: async () => null }),
    expectations: {
      pagesOf: async () => null,
      estimateOf: (_refresh: Refresh, before: number) => ({
        retryAfterSeconds: 10 * before,
        expectedCompletedMs: null,
      }),
    },
    queueMs: 1_800_000,
  });
  const messagesAbout = (id: string) =>
    saga.sent.filter(({ body }) =>
      'refreshId' in body ? body.refreshId === id : 'refresh_id' in body && body.refresh_id === id,
    );
  return {
    admit: (request: RefreshRequest) => admitAttempt(admission, receivedOf(request)),
    refuse: (id: string) => applyFact(saga, id, noFunds, 'redelivery'),
    bodiesAbout: (id: string) => messagesAbout(id).map(({ body }) => body),
    sentAbout: (id: string) =>
      messagesAbout(id).map(({ type, body }) => ('decision' in body ? body.decision : type)),
  };
}

const phaseOf = async (id: Refresh['refreshId']) =>
  (await stored.openStore().findRefresh(id))?.phase;

/** The collection of a process that is killed after its next writes: no later one arrives. */
function dyingAfter(writes: number): Collection<RefreshDocument> {
  const written = new Set<PropertyKey>(['insertOne', 'updateOne', 'deleteOne', 'replaceOne']);
  let left = writes;
  return new Proxy(stored.collection, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (written.has(name)) left -= 1;
        if (left < 0) throw new Error('killed');
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
}

/** A store in which the attempt that takes the key first is refused at once, `times` in a row. */
function refusingWinners(store: RefreshStore, winners: readonly RefreshRequest[]): RefreshStore {
  const waiting = [...winners];
  const other = openCollector();
  return {
    ...store,
    async insertRefresh(...args: Parameters<RefreshStore['insertRefresh']>) {
      const winner = waiting.shift();
      if (winner) await other.admit(winner);
      const result = await store.insertRefresh(...args);
      if (winner) await other.refuse(winner.refreshId);
      return result;
    },
  };
}

test('a refresh waits in the queue for half an hour, also where the clock of its requester is a day ahead (Refresh: Deadlines) [deadlines]', async () => {
  const nowMs = stored.clock.now();
  const requests = [nowMs + 86_400_000, nowMs - 5_000].map((requestedAtMs) =>
    attempt({ projectId: newProjectId(), requestedAtMs }),
  );

  for (const request of requests) await openCollector().admit(request);

  const read = requests.map(({ refreshId: id }) => stored.openStore().findRefresh(id));
  const waits = (await Promise.all(read)).map((one) => (one?.queueDeadlineMs ?? 0) - nowMs);
  expect(waits).toEqual([1_800_000, 1_795_000]);
});

describe('an Idempotency-Key', () => {
  it('is free with the one write that refuses its attempt: a crash after it changes nothing (402 leaves the key free) [a-rejected-admission]', async () => {
    const request = attempt();
    const killed = stored.openStore(dyingAfter(2));
    await openCollector(killed).admit(request);
    await openCollector(killed)
      .refuse(request.refreshId)
      .catch(() => {});

    const restarted = openCollector();
    await restarted.refuse(request.refreshId);
    expect(restarted.sentAbout(request.refreshId)).toEqual(['refused']);
    const again = attempt({ projectId: request.projectId });
    await restarted.admit(again);
    expect(restarted.sentAbout(again.refreshId)).toEqual(['billing.reserve.v1']);
    expect(await phaseOf(again.refreshId)).toBe('accepted');
  });

  it('has one live attempt, however many come after a refusal at once (Idempotency-Key)', async () => {
    const collector = openCollector();
    const projectId = newProjectId();
    for (let refusals = 0; refusals < 12; refusals += 1) {
      const attempts = Array.from({ length: 5 }, () => attempt({ projectId }));
      await Promise.all(attempts.map((request) => collector.admit(request)));
      const responses = attempts.flatMap(({ refreshId: id }) => collector.sentAbout(id));
      expect(responses.toSorted()).toEqual([
        'billing.reserve.v1',
        ...Array.from({ length: 4 }, () => 'duplicate'),
      ]);
      for (const { refreshId: id } of attempts) await collector.refuse(id);
    }
  });

  it('is held by its refresh to the end of its record: each later attempt is a duplicate of it (Idempotency-Key)', async () => {
    const collector = openCollector();
    const [refused, first, later] = [attempt(), attempt(), attempt()].map((request, _, [one]) => ({
      ...request,
      projectId: (one ?? request).projectId,
    })) as [RefreshRequest, RefreshRequest, RefreshRequest];
    await collector.admit(refused);
    await collector.refuse(refused.refreshId);
    await collector.admit(first);
    await collector.admit(later);

    expect(collector.sentAbout(later.refreshId)).toEqual(['duplicate']);
    await collector.admit(first);
    expect(collector.sentAbout(first.refreshId)).toEqual([
      'billing.reserve.v1',
      'billing.reserve.v1',
    ]);
  });

  it('gives a refused attempt that is delivered again its refusal, whatever became of the key (Errors: insufficient_credits)', async () => {
    const collector = openCollector();
    const refused = attempt();
    await collector.admit(refused);
    await collector.refuse(refused.refreshId);
    await collector.admit(refused);

    expect(collector.sentAbout(refused.refreshId)).toEqual([
      'billing.reserve.v1',
      'refused',
      'refused',
    ]);
    expect(await phaseOf(refused.refreshId)).toBe('refused');
  });

  it('is no other key that begins with it, nor the same one of another Project (Idempotency-Key)', async () => {
    const collector = openCollector();
    const base = attempt({ idempotencyKey: 'a' });
    const { projectId } = base;
    const others = [
      attempt({ projectId, idempotencyKey: 'a ' }),
      attempt({ projectId, idempotencyKey: 'a1' }),
      attempt({ projectId, idempotencyKey: 'a~' }),
      attempt({ idempotencyKey: 'a' }),
    ];
    for (const request of [base, ...others]) {
      await collector.admit(request);
      expect(collector.sentAbout(request.refreshId)).toEqual(['billing.reserve.v1']);
    }
  });

  it('is looked up again where its holder is refused during an insert: no handler throws, each attempt is decided', async () => {
    const late = attempt();
    const winners = [late, late, late].map(({ projectId }) => attempt({ projectId }));
    const collector = openCollector(refusingWinners(stored.openStore(), winners));

    await collector.admit(late);

    expect(collector.sentAbout(late.refreshId)).toEqual(['billing.reserve.v1']);
    expect(await phaseOf(late.refreshId)).toBe('accepted');
  });

  it('is answered with the wait that was estimated at admission, sent again alike (Refresh: Retry-After at acceptance) [retry-after]', async () => {
    const collector = openCollector();
    const request = attempt();

    await collector.admit(request);
    await collector.admit(request);

    const waits = { retryAfterSeconds: 40, deadlineAtMs: expect.any(Number) };
    expect(collector.bodiesAbout(request.refreshId)).toMatchObject([waits, waits]);
  });

  it('keeps the refusal before a new attempt as long as that attempt may still be stored', async () => {
    const collector = openCollector();
    const refused = attempt();
    await collector.admit(refused);
    await collector.refuse(refused.refreshId);
    const expiryOf = async () =>
      (await stored.collection.findOne({ _id: refused.refreshId }))?.expireAt?.getTime() ?? 0;
    const before = await expiryOf();

    stored.clock.advance(60_000);
    await collector.admit(attempt({ projectId: refused.projectId }));

    expect(await expiryOf()).toBe(before + 60_000);
  });
});
