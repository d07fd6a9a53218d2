import { checkOptions } from './arguments.ts';
import type { CallApi } from './call-api.ts';
import type { ClientEnvironment } from './client-environment.ts';
import { ConflictError, InvalidRequestError } from './errors.ts';
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
  batchPath,
  checkedKey,
  checkedScope,
  inventoryPath,
  refreshesPath,
  refreshPath,
  withQuery,
} from './paths.ts';
import { readBatch, readRefresh, readRefreshPage } from './read-records.ts';
import type { BatchResult, RefreshAnswer, RefreshPage, RefreshRecord, Scope } from './records.ts';
import { waitForRefresh } from './wait-for-refresh.ts';
import { walkPages } from './walk-pages.ts';

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

/** The lowest authorized charge, and the highest cost of a refresh. */
const maxCreditsDefault = 125;
const workflowDefaultMs = 15 * 60_000;

export function createRefreshCalls(callApi: CallApi, environment: ClientEnvironment): RefreshCalls {
  const { newKey, nowMs } = environment;

  async function refresh(scope: Scope, options: RefreshOptions = {}): Promise<RefreshAnswer> {
    const { maxCredits = maxCreditsDefault, language, idempotencyKey = newKey() } = options;
    const call = {
      method: 'POST',
      path: `${inventoryPath(scope)}/refresh`,
      body: { max_credits: maxCredits, ...(language === undefined ? {} : { language }) },
      idempotencyKey: checkedKey(idempotencyKey),
    } as const;
    return readRefresh(await callApi(call, options));
  }

  /** A retry of the whole batch is idempotent, because every item has a key. */
  async function refreshBatch(
    items: readonly BatchItem[],
    options: CallOptions = {},
  ): Promise<BatchResult[]> {
    if (!Array.isArray(items)) throw new TypeError('items must be an array.');
    const prepared = items.map((item: BatchItem) => prepareItem(item, newKey));
    const wire = prepared.flatMap((one) => ('wire' in one ? [one.wire] : []));
    const call = { method: 'POST', path: batchPath, body: { items: wire } } as const;
    const keys = wire.map(({ idempotency_key }) => idempotency_key);
    const results = wire.length === 0 ? [] : readBatch(await callApi(call, options), keys);
    const next = results.values();
    return prepared.flatMap((one) => ('wire' in one ? (next.next().value ?? []) : one));
  }

  async function status(refreshId: string, options: StatusOptions = {}): Promise<RefreshAnswer> {
    const { waitSeconds } = options;
    const path = withQuery(refreshPath(refreshId), { wait: waitSeconds });
    const waitMs = (waitSeconds ?? 0) * 1_000;
    return readRefresh(await callApi({ method: 'GET', path, waitMs }, options));
  }

  /** A cancellation whose response was lost is a success, not a conflict. */
  async function cancel(refreshId: string, options: CallOptions = {}): Promise<RefreshAnswer> {
    const call = { method: 'POST', path: `${refreshPath(refreshId)}/cancel` } as const;
    let uncertain = false;
    try {
      const onFailure = () => {
        uncertain = true;
      };
      return readRefresh(await callApi(call, options, onFailure));
    } catch (error) {
      if (!uncertain || !(error instanceof ConflictError)) throw error;
      const answer = await status(refreshId, options);
      if (answer.record.outcome !== 'cancelled') throw error;
      return answer;
    }
  }

  async function listRefreshes(projectId: string, options: ListOptions = {}) {
    const { states, refreshIds, limit, cursor } = options;
    const parameters = { state: states, refresh_id: refreshIds, limit, cursor };
    const path = withQuery(refreshesPath(projectId), parameters);
    return readRefreshPage(await callApi({ method: 'GET', path }, options));
  }

  function wait(refreshId: string, accepted: RefreshAnswer | null, options: Waiting) {
    const { endsAtMs, signal, onProgress } = options;
    const read = () => status(refreshId, { deadlineMs: endsAtMs - nowMs(), signal });
    const plan = { refreshId, accepted, read, onProgress, endsAtMs, signal };
    return waitForRefresh(plan, environment);
  }

  return {
    refresh,
    refreshBatch,
    status,
    cancel,
    listRefreshes,
    async *refreshes(projectId, options = {}) {
      const read = (cursor: string | null) => listRefreshes(projectId, { ...options, cursor });
      const pages = walkPages(read, ({ pagination }) => pagination, options.cursor ?? null);
      for await (const { items } of pages) yield* items;
    },
    async waitForRefresh(refreshId, options = {}) {
      checkOptions(options);
      const { deadlineMs = workflowDefaultMs } = options;
      return wait(refreshId, null, { ...options, endsAtMs: nowMs() + deadlineMs });
    },
    async refreshAndWait(scope, options = {}) {
      checkOptions(options);
      const { deadlineMs = workflowDefaultMs } = options;
      const endsAtMs = nowMs() + deadlineMs;
      const accepted = await refresh(scope, { ...options, deadlineMs });
      return wait(accepted.record.refresh_id, accepted, { ...options, endsAtMs });
    },
  };
}

/** An invalid item is not sent: it is the result of that item, and not of the others. */
function prepareItem(item: BatchItem, newKey: ClientEnvironment['newKey']) {
  try {
    return { wire: wireItem(item, newKey) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const failure = {
      ...{ code: 'invalid_request', message: error.message, status: 422, creditsCharged: 0 },
      ...{ requestId: null, detail: null, retryAfterSeconds: null },
    };
    const idempotencyKey = String(item?.idempotencyKey ?? '');
    return { accepted: false as const, idempotencyKey, error: new InvalidRequestError(failure) };
  }
}

function wireItem(item: BatchItem, newKey: ClientEnvironment['newKey']) {
  const { scope, ...rest } = item ?? {};
  checkOptions(rest);
  const { maxCredits = maxCreditsDefault, language, idempotencyKey = newKey() } = rest;
  return {
    ...checkedScope(scope),
    ...(language === undefined ? {} : { language }),
    max_credits: maxCredits,
    idempotency_key: checkedKey(idempotencyKey),
  };
}

interface Waiting extends Pick<WaitOptions, 'signal' | 'onProgress'> {
  readonly endsAtMs: number;
}
