import { outcomesMax } from '@inventory/contracts/internal/ledger';
import type { Logger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import { applyFact, type SagaDeps } from '../saga/apply-fact.ts';
import { factOfBillingOutcome } from '../saga/billing-fact.ts';
import type { LedgerClient } from '../saga/hold-client.ts';
import type { Refresh } from '../saga/refresh.domain.ts';
import type {
  RefreshList,
  RefreshListQuery,
  RefreshListStore,
} from '../saga/refresh-list-store.ts';

export interface ConfirmDeps {
  readonly saga: SagaDeps;
  readonly lists: RefreshListStore;
  readonly ledger: LedgerClient;
  readonly logger: Logger;
}

/** Of a Project: no more are outstanding. */
const acceptedMax = 1_000;
/** In which the message of an outcome arrives that the ledger sent before it became unavailable. */
const messageMs = 250;

/** A refresh as the last message to its client stated it, or later; null when there is none. */
export async function findConfirmed(deps: ConfirmDeps, id: string): Promise<Refresh | null> {
  const { refreshes } = deps.saga;
  const stored = await refreshes.findRefresh(id);
  if (stored?.phase !== 'accepted') return stored;
  await confirm(deps, [stored]);
  return refreshes.findRefresh(id);
}

/** A list of such refreshes. One that is confirmed has another state than it was found in. */
export async function listConfirmed(
  deps: ConfirmDeps,
  query: RefreshListQuery,
): Promise<RefreshList> {
  const { lists } = deps;
  const states = query.states.length > 0 ? [...query.states, 'accepted' as const] : [];
  const listed = await lists.listRefreshes({ ...query, states });
  if (!listed.items.some(({ phase }) => phase === 'accepted')) return listed;
  const { projectId } = query;
  const ofProject = { projectId, states: ['accepted' as const], refreshIds: [], before: null };
  await confirm(deps, (await lists.listRefreshes({ ...ofProject, limit: acceptedMax })).items);
  return lists.listRefreshes(query);
}

/**
 * Applies what the ledger has recorded of the reservations of an account's refreshes: it replies to the
 * gateway directly, so a client may read its refresh before the outcome is stored here. The write is that
 * of the outcome's message, which changes nothing after it.
 */
async function confirm(
  { saga, ledger, logger }: ConfirmDeps,
  accepted: readonly Refresh[],
): Promise<void> {
  for (let from = 0; from < accepted.length; from += outcomesMax) {
    const outcomes = await ledger
      .readReservations(accepted.slice(from, from + outcomesMax))
      .catch((err: unknown) => logger.warn({ err }, 'reservations not confirmed'));
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
