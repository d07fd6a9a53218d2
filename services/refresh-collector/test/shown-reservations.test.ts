import { newProjectId } from '@inventory/testkit/builders';
import { testLogger } from '@inventory/testkit/namespace';
import { only } from '@inventory/testkit/only';
import { findConfirmed, listConfirmed, type Reads } from '../src/reads/confirm-reservations.ts';
import { applyFact } from '../src/saga/apply-fact.ts';
import { factOfBillingOutcome } from '../src/saga/billing-fact.ts';
import type { Refresh } from '../src/saga/refresh.domain.ts';
import { createRefreshListStore } from '../src/saga/refresh-list-store.ts';
import { acceptedRefresh, holdOf } from './refresh-builder.ts';
import { openStoredRefreshes, type StoredRefreshes } from './stored-refreshes.ts';

let stored: StoredRefreshes;
beforeAll(async () => {
  stored = await openStoredRefreshes();
});
afterAll(() => stored.close());

type Holds = Reads['holds'];

/** A ledger that has journaled these reservations; no message of it has arrived. */
function ledgerThatHeld(...held: readonly Refresh[]): Holds & { reads: number } {
  const ledger = {
    reads: 0,
    async readReservations(refreshes: readonly Refresh[]) {
      ledger.reads += 1;
      const wanted = refreshes.map(({ refreshId }) => refreshId);
      return held.filter(({ refreshId: id }) => wanted.includes(id)).map(holdOf);
    },
  };
  return only(ledger);
}

/** A replica of its own. */
function replica(holds: Holds): Reads & { readonly saga: { readonly sent: unknown[] } } {
  const lists = createRefreshListStore(stored.collection, testLogger);
  const saga = stored.openSaga();
  return { ...only<Reads>({ lists, holds }), saga };
}

async function insert(fields: Partial<Refresh> = {}): Promise<Refresh> {
  const refresh = acceptedRefresh(fields);
  await stored.openStore().insertRefresh(refresh);
  return refresh;
}

const list = (
  deps: Reads,
  of: { readonly projectId: Refresh['projectId'] },
  states: readonly 'queued'[] = [],
) => listConfirmed(deps, { ...of, states, refreshIds: [], limit: 2, before: null });

const queuedAndHeld = { phase: 'queued', billing: { state: 'reserved', reserved: 125 } };

describe('a refresh whose hold is journaled and not stored yet (After a 202 every read of the refresh shows at least what the 202 showed)', () => {
  it('is read as queued with its hold by every replica, by the write that its message would make', async () => {
    const refresh = await insert();
    const ledger = ledgerThatHeld(refresh);
    const [one, other] = [replica(ledger), replica(ledger)];

    const [read, again] = await Promise.all([
      findConfirmed(one, refresh.refreshId),
      findConfirmed(other, refresh.refreshId),
    ]);

    for (const shown of [read, again]) expect(shown).toMatchObject(queuedAndHeld);
    const fact = factOfBillingOutcome(holdOf(refresh), 0);
    if (fact) await applyFact(other.saga, refresh.refreshId, fact, 'redelivery');
    expect((await findConfirmed(one, refresh.refreshId))?.version).toBe(2);
    expect(ledger.reads).toBe(2);
  });

  it('is in the list of its Project, of all states and of the queued ones, and no longer among the accepted', async () => {
    const projectId = newProjectId();
    const refreshes = [await insert({ projectId }), await insert({ projectId })];
    const undecided = await insert({ projectId });
    const deps = replica(ledgerThatHeld(...refreshes));

    const queued = await list(deps, { projectId }, ['queued']);

    const ids = ({ items }: typeof queued) => items.map(({ refreshId: id }) => id).toSorted();
    expect(ids(queued)).toEqual(refreshes.map(({ refreshId: id }) => id).toSorted());
    for (const shown of queued.items) expect(shown).toMatchObject(queuedAndHeld);
    const { items } = await list(deps, { projectId });
    expect(items.find(({ refreshId: id }) => id === undecided.refreshId)?.phase).not.toBe('queued');
  });

  it('settles as cancelled where it was cancelled meanwhile, and says so (Refresh: Cancel) [cancel]', async () => {
    const refresh = await insert({ cancelRequested: true });
    const deps = replica(ledgerThatHeld(refresh));

    const shown = await findConfirmed(deps, refresh.refreshId);

    expect(shown).toMatchObject({ phase: 'settling', outcome: 'cancelled' });
    expect(deps.saga.sent).toMatchObject([{ type: 'billing.settle.v1' }]);
  });
});

it('one that the ledger has not decided is accepted (states: accepted is seen in races only)', async () => {
  const refresh = await insert();

  const shown = await findConfirmed(replica(ledgerThatHeld()), refresh.refreshId);

  expect(shown?.phase).toBe('accepted');
});

it('one that is stored as decided is read without the ledger, and so is an unknown one (architecture: cost follows what is due)', async () => {
  const projectId = newProjectId();
  const refresh = await insert({ projectId, phase: 'queued' });
  const ledger = ledgerThatHeld(refresh);
  const deps = replica(ledger);

  await findConfirmed(deps, refresh.refreshId);
  await findConfirmed(deps, acceptedRefresh().refreshId);
  await list(deps, { projectId });

  expect(ledger.reads).toBe(0);
});

it('one whose client waits for its end is read without the ledger, and as its hold says where the wait elapses (status: wait)', async () => {
  const refresh = await insert();
  const ledger = ledgerThatHeld(refresh);
  const deps = replica(ledger);

  expect((await findConfirmed(deps, refresh.refreshId, 'interim'))?.phase).toBe('accepted');
  expect(ledger.reads).toBe(0);
  expect(await findConfirmed(deps, refresh.refreshId)).toMatchObject(queuedAndHeld);
});

it('one whose outcome arrives while the ledger is unavailable is shown with it (Failure modes: the ledger is unavailable)', async () => {
  const refresh = await insert();
  const away = only<Holds>({
    async readReservations() {
      const fact = factOfBillingOutcome(holdOf(refresh), 0);
      if (fact) await applyFact(stored.openSaga(), refresh.refreshId, fact, 'redelivery');
      throw new Error('away');
    },
  });

  expect(await findConfirmed(replica(away), refresh.refreshId)).toMatchObject(queuedAndHeld);
});
