import type { RefreshRecord } from '../src/records.ts';
import type { ScriptedAnswer } from './scripted-server.ts';

export const scope = { platform_id: '76100000000000001', app_id: 730, context_id: 2 };
export const refreshId = '0197a4b0-0000-7000-8000-000000000001';
export const projectId = 'prj_0197a4b0-0000-7000-8000-000000000002';
export const revisionId = 'invrev_0197a4b0-0000-7000-8000-000000000004';
export const apiKey = 'inv_public_secretsecretsecret_check';

export const requestId = 'req_0197a4b0-0000-7000-8000-000000000003';
const meta = { request_id: requestId };

export function record(change: Partial<RefreshRecord> = {}): RefreshRecord {
  return {
    refresh_id: refreshId,
    scope,
    state: 'queued',
    requested_at: '2026-01-01T00:00:00.000Z',
    completed_at: null,
    deadline_at: '2026-01-01T01:00:00.000Z',
    outcome: null,
    revision_id: null,
    served_from: 'scan',
    verified_at: null,
    watch_id: null,
    product_code: 'platform.inventory.refresh.v1',
    billing_state: 'reserved',
    billing_disposition: null,
    billing: {
      state: 'reserved',
      disposition: null,
      credits_reserved: 125,
      credits_charged: null,
      credits_released: null,
    },
    ...change,
  };
}

export function finished(outcome = 'complete_changed'): RefreshRecord {
  return record({
    state: 'completed',
    outcome,
    revision_id: outcome.startsWith('complete') ? revisionId : null,
    completed_at: '2026-01-01T00:00:09.000Z',
    billing_state: 'finalized',
    billing: {
      state: 'finalized',
      disposition: 'finalize_complete',
      credits_reserved: 125,
      credits_charged: 3,
      credits_released: 122,
    },
  });
}

export function success(
  data: unknown,
  { status = 200, headers = {} }: Pick<ScriptedAnswer, 'status' | 'headers'> = {},
): ScriptedAnswer {
  return { status, headers, body: { success: true, data, meta } };
}

/** A pending refresh with this Retry-After. */
export function pending(retryAfterSeconds: number, status = 200): ScriptedAnswer {
  return success(record(), { status, headers: { 'retry-after': String(retryAfterSeconds) } });
}

export function failure(
  status: number,
  code: string,
  { retryAfter, detail }: { retryAfter?: number; detail?: object } = {},
): ScriptedAnswer {
  return {
    status,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
    body: {
      success: false,
      error: { code, message: `It is ${code}.`, request_id: requestId, ...(detail && { detail }) },
      meta,
    },
  };
}

export function asset(serial: number) {
  return {
    appid: 730,
    contextid: '2',
    assetid: String(10n ** 19n + BigInt(serial)),
    classid: String(serial % 7),
    instanceid: '0',
    amount: '1',
  };
}

/** One page of `total` added assets; the cursor is the start of the next page. */
export function changesData(total: number, pageSize: number, from: number) {
  const { assets, total_count, total_amount, reported_total_count, revision_id, ...page } =
    currentData(total, pageSize, from);
  return {
    ...page,
    from_revision_id: 'invrev_0197a4b0-0000-7000-8000-00000000000a',
    to_revision_id: revision_id,
    added: assets,
    removed: [],
    changed: [],
    counts: { added: total, removed: 0, changed: 0 },
  };
}

/** One page of an inventory of `total` assets; the cursor is the start of the next page. */
export function currentData(total: number, pageSize: number, from: number) {
  const assets = Array.from({ length: Math.min(pageSize, total - from) }, (_none, index) =>
    asset(from + index),
  );
  const next = from + assets.length;
  return {
    scope,
    revision_id: revisionId,
    observation_id: 'invobs_0197a4b0-0000-7000-8000-000000000005',
    verified_at: '2026-01-01T00:00:09.000Z',
    age_seconds: 1,
    scan_window: {
      started_at: '2026-01-01T00:00:00.000Z',
      completed_at: '2026-01-01T00:00:09.000Z',
    },
    assets,
    descriptions: [...new Set(assets.map(({ classid }) => classid))]
      .filter((classid) => classid !== '6')
      .map((classid) => ({
        appid: 730,
        classid,
        instanceid: '0',
        market_hash_name: `m${classid}`,
      })),
    total_count: total,
    total_amount: total,
    reported_total_count: total,
    pagination: { has_more: next < total, next_cursor: next < total ? `from-${next}` : null },
  };
}
