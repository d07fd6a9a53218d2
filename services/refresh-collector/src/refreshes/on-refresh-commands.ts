import type { Handlers } from '@inventory/messaging/dispatch';
import { fromIsoTime } from '@inventory/runtime/clock';
import { type AdmitDeps, admitRefresh } from './admit-refresh.ts';
import type { SagaDeps } from './apply-fact.ts';
import { cancelRefresh } from './cancel-refresh.ts';

export function onRefreshCommands(admit: AdmitDeps, saga: SagaDeps): Handlers {
  return {
    'refresh.request.v1': ({ body, waitingId, trace, deadlineMs }) =>
      admitRefresh(admit, {
        id: body.refresh_id,
        accountId: body.account_id,
        projectId: body.project_id,
        requestId: body.request_id,
        idempotencyKey: body.idempotency_key,
        fingerprint: body.fingerprint,
        watchId: body.watch_id ?? null,
        scope: body.scope,
        language: body.language,
        maxCredits: body.max_credits,
        maxAgeSeconds: body.freshness?.max_age_seconds ?? null,
        priceVersion: body.freshness?.price_version ?? null,
        requestedAtMs: fromIsoTime(body.requested_at),
        waitingId: waitingId ?? null,
        trace,
        deadlineMs: deadlineMs ?? null,
      }),
    'refresh.cancel.v1': async ({ body, waitingId, trace }) => {
      await cancelRefresh(saga, {
        id: body.refresh_id,
        accountId: body.account_id,
        projectId: body.project_id,
        waitingId: waitingId ?? null,
        trace,
      });
    },
  };
}
