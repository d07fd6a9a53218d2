import { checkOptions } from './arguments.ts';
import type { CallApi } from './call-api.ts';
import type { ClientEnvironment } from './client-environment.ts';
import { ConflictError, InventoryError, RefreshNotFinishedError } from './errors.ts';
import type {
  BatchItem,
  CallOptions,
  ListOptions,
  RefreshAndWaitOptions,
  RefreshOptions,
  StatusOptions,
  WaitOptions,
} from './options.ts';
import {
  checkedKey,
  checkedScope,
  inventoryPath,
  refreshesPath,
  refreshPath,
  withQuery,
} from './paths.ts';
import { refreshAnswerIn, refreshPageIn } from './read-records.ts';
import type { BatchResult, RefreshAnswer, RefreshPage, RefreshRecord, Scope } from './records.ts';
import { maxCreditsDefault, refreshBatch } from './refresh-batch.ts';
import { afterMs } from './retry-policy.ts';
import { walkItems } from './walk-pages.ts';

export interface RefreshCalls {
  /** Requests a complete collection and reserves its credits. */
  refresh(scope: Scope, options?: RefreshOptions): Promise<RefreshAnswer>;
  /**
   * Requests up to 100 refreshes, each admitted on its own; resolves with one result for each, in
   * order. Rejects only where the batch as a whole was refused.
   */
  refreshBatch(items: readonly BatchItem[], options?: CallOptions): Promise<BatchResult[]>;
  status(refreshId: string, options?: StatusOptions): Promise<RefreshAnswer>;
  /** Rejects with {@link ConflictError} when the refresh was completed before. */
  cancel(refreshId: string, options?: CallOptions): Promise<RefreshAnswer>;
  /** One page of a Project's refreshes. */
  listRefreshes(projectId: string, options?: ListOptions): Promise<RefreshPage>;
  /** All of a Project's refreshes, newest first. */
  refreshes(projectId: string, options?: ListOptions): AsyncGenerator<RefreshRecord, void, void>;
  /**
   * Resolves when collection and billing are terminal, whatever the outcome is; rejects with
   * {@link RefreshNotFinishedError} at the deadline, and can be called again.
   */
  waitForRefresh(refreshId: string, options?: WaitOptions): Promise<RefreshAnswer>;
  refreshAndWait(scope: Scope, options?: RefreshAndWaitOptions): Promise<RefreshAnswer>;
}

const workflowDefaultMs = 15 * 60_000;

export function createRefreshCalls(callApi: CallApi, environment: ClientEnvironment): RefreshCalls {
  const { newKey, nowMs } = environment;

  async function refresh(scope: Scope, options: RefreshOptions = {}): Promise<RefreshAnswer> {
    const { maxCredits = maxCreditsDefault, language, maxAge } = options;
    const { idempotencyKey = newKey() } = options;
    const call = {
      method: 'POST',
      path: `${inventoryPath(scope)}/refresh`,
      body: { maxCredits, language, maxAgeSeconds: maxAge },
      idempotencyKey: checkedKey(idempotencyKey),
    } as const;
    return refreshAnswerIn(await callApi(call, options));
  }

  async function status(refreshId: string, options: StatusOptions = {}): Promise<RefreshAnswer> {
    const { waitSeconds } = options;
    const path = withQuery(refreshPath(refreshId), { wait: waitSeconds });
    const waitMs = (waitSeconds ?? 0) * 1_000;
    return refreshAnswerIn(await callApi({ method: 'GET', path, waitMs }, options));
  }

  /** A cancellation whose response was lost is a success, not a conflict. */
  async function cancel(refreshId: string, options: CallOptions = {}): Promise<RefreshAnswer> {
    const call = { method: 'POST', path: `${refreshPath(refreshId)}/cancel` } as const;
    let uncertain = false;
    try {
      const onFailure = () => {
        uncertain = true;
      };
      return refreshAnswerIn(await callApi(call, options, onFailure));
    } catch (error) {
      if (!uncertain || !(error instanceof ConflictError)) throw error;
      const answer = await status(refreshId, options);
      if (answer.record.outcome !== 'cancelled') throw error;
      return answer;
    }
  }

  async function listRefreshes(projectId: string, options: ListOptions = {}) {
    const { states, refreshIds, outcomes, scope, limit, cursor } = options;
    const parameters = {
      state: states,
      refreshId: refreshIds,
      outcome: outcomes,
      from: options.requestedFrom,
      to: options.requestedTo,
      limit,
      cursor,
      ...(scope && checkedScope(scope)),
    };
    const path = withQuery(refreshesPath(projectId), parameters);
    return refreshPageIn(await callApi({ method: 'GET', path }, options));
  }

  function wait(
    refreshId: string,
    accepted: RefreshAnswer | null,
    endsAtMs: number,
    { signal, onProgress }: WaitOptions,
  ): Promise<RefreshAnswer> {
    const read = () => status(refreshId, { deadlineMs: endsAtMs - nowMs(), signal });
    const plan = { refreshId, accepted, read, onProgress, endsAtMs, signal };
    return waitForRefresh(plan, environment);
  }

  return {
    refresh,
    refreshBatch: (items, options = {}) =>
      refreshBatch(items, newKey, (call) => callApi(call, options)),
    status,
    cancel,
    listRefreshes,
    refreshes: (projectId, options = {}) =>
      walkItems((cursor) => listRefreshes(projectId, { ...options, cursor }), options.cursor),
    async waitForRefresh(refreshId, options = {}) {
      checkOptions(options);
      const { deadlineMs = workflowDefaultMs } = options;
      return wait(refreshId, null, nowMs() + deadlineMs, options);
    },
    async refreshAndWait(scope, options = {}) {
      checkOptions(options);
      const { deadlineMs = workflowDefaultMs } = options;
      const endsAtMs = nowMs() + deadlineMs;
      const accepted = await refresh(scope, { ...options, deadlineMs });
      return wait(accepted.record.refresh_id, accepted, endsAtMs, options);
    },
  };
}

interface WaitPlan {
  readonly refreshId: string;
  /** The acceptance, where known: its Retry-After precedes the first poll. */
  readonly accepted: RefreshAnswer | null;
  /** Reads the status, with this deadline. */
  readonly read: (refreshId: string, endsAtMs: number) => Promise<RefreshAnswer>;
  /** Called with every record, including the accepted and the terminal one. */
  readonly onProgress: ((record: RefreshRecord) => void) | undefined;
  readonly endsAtMs: number;
  readonly signal: AbortSignal | undefined;
}

/** For a pending refresh without Retry-After. */
const fallbackSeconds = 2;

/**
 * Polls by Retry-After until collection and billing are both terminal. Rejects with
 * {@link RefreshNotFinishedError} as soon as the next poll would be after the deadline.
 */
async function waitForRefresh(
  plan: WaitPlan,
  { nowMs, chance, pause }: ClientEnvironment,
): Promise<RefreshAnswer> {
  const { refreshId, endsAtMs, signal } = plan;
  let latest = plan.accepted ?? (await poll(plan));
  for (;;) {
    plan.onProgress?.(latest.record);
    if (isFinished(latest.record)) return latest;
    const delayMs = afterMs(latest.retryAfterSeconds ?? fallbackSeconds, chance());
    if (nowMs() + delayMs >= endsAtMs) throw new RefreshNotFinishedError(refreshId);
    await pause(delayMs, signal);
    latest = await poll(plan);
  }
}

async function poll({ read, refreshId, endsAtMs }: WaitPlan): Promise<RefreshAnswer> {
  try {
    return await read(refreshId, endsAtMs);
  } catch (error) {
    // Retried until the deadline: the error is the cause of the unfinished wait.
    const isTransient = error instanceof InventoryError && error.retryable;
    throw isTransient ? new RefreshNotFinishedError(refreshId, { cause: error }) : error;
  }
}

/** Billing is part of completion. */
function isFinished({ state, billing }: RefreshRecord): boolean {
  return state === 'completed' && billing.state === 'finalized';
}
