import { outcomesMax } from '@inventory/contracts/internal/ledger';
import { pause } from '@inventory/runtime/wait';
import type { Expectations } from '../plan/expectations.ts';
import { applyFact } from '../saga/apply-fact.ts';
import { factOfBillingOutcome } from '../saga/billing-fact.ts';
import type { HoldClient } from '../saga/hold-client.ts';
import type { Saga } from '../saga/open-saga.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import type {
  ListedRefreshes,
  RefreshListQuery,
  RefreshListStore,
} from '../saga/refresh-list-store.ts';

/** What refreshes are read with: the routes take it whole. */
export interface Reads {
  readonly saga: Saga;
  readonly lists: RefreshListStore;
  readonly holds: HoldClient;
  readonly expectations: Expectations;
  readonly settleGraceMs: number;
}

/** Of a Project: no more are outstanding. */
const acceptedMax = 1_000;
/** In which the message of an outcome arrives that the ledger sent before it became unavailable. */
const messageMs = 250;

/**
 * A refresh as the last message to its client stated it, or later; null when there is none. Of a pending
 * one an `interim` read shows nothing, so it needs no confirmation.
 */
export async function findConfirmed(
  reads: Reads,
  id: string,
  read?: 'interim',
): Promise<Refresh | null> {
  const { refreshes } = reads.saga;
  const stored = await refreshes.findRefresh(id);
  if (stored?.phase !== 'accepted' || read === 'interim') return stored;
  await confirm(reads, [stored]);
  return refreshes.findRefresh(id);
}

/** A list of such refreshes. One that is confirmed has another state than it was found in. */
export async function listConfirmed(
  reads: Reads,
  query: RefreshListQuery,
): Promise<ListedRefreshes> {
  const { lists } = reads;
  const states = query.states.length > 0 ? [...query.states, 'accepted' as const] : [];
  const listed = await lists.listRefreshes({ ...query, states });
  if (!listed.items.some(({ phase }) => phase === 'accepted')) return listed;
  const { projectId } = query;
  const ofProject = { projectId, states: ['accepted' as const], refreshIds: [], before: null };
  await confirm(reads, (await lists.listRefreshes({ ...ofProject, limit: acceptedMax })).items);
  return lists.listRefreshes(query);
}

/**
 * Applies what the ledger has recorded of the reservations of an account's refreshes: it replies to the
 * gateway directly, so a client may read its refresh before the outcome is stored here. The write is that
 * of the outcome's message, which changes nothing after it.
 */
async function confirm({ saga, holds }: Reads, accepted: readonly Refresh[]): Promise<void> {
  for (let from = 0; from < accepted.length; from += outcomesMax) {
    const outcomes = await holds
      .readReservations(accepted.slice(from, from + outcomesMax))
      .catch((err: unknown) => saga.logger.warn({ err }, 'reservations not confirmed'));
    if (!outcomes) return pause(messageMs);
    await Promise.all(
      outcomes.map(async (outcome) => {
        const { refreshId } = outcome;
        const fact = factOfBillingOutcome(outcome, saga.clock.now());
        if (refreshId && fact) await applyFact(saga, refreshId, fact, 'resend');
      }),
    );
  }
}
