import { idempotencyKey, scopePath } from '@inventory/contracts/http/parameters';
import { refreshPath, refreshRequestBody } from '@inventory/contracts/http/refresh';
import { refreshReservationCredits } from '@inventory/contracts/vocabulary';
import { unreachable } from '@inventory/runtime/bug';
import { z } from 'zod';
import {
  type RefreshDecision,
  type RequestRefreshDeps,
  requestRefresh,
} from '../../operations/request-refresh.ts';
import { toWireAcceptedRecord } from '../convert.ts';
import { envelope } from '../envelope.ts';
import { refuse, refuseForNow } from '../refusal.ts';
import { type AdmittedRequest, type Answer, defineRoute, type Route } from '../route.ts';
import { refuseRefresh } from './refuse-refresh.ts';

const product = 'platform.inventory.refresh.v1';
const retryAfterSeconds = 1;

type Scope = z.output<typeof scopePath>;

/** POST …/refresh: starts a complete collection in the background. */
export function requestRefreshRoute(deps: RequestRefreshDeps): Route {
  return defineRoute({
    method: 'POST',
    template: '/v2/platform/users/{platform_id}/inventory/{app_id}/{context_id}/refresh',
    permission: product,
    product,
    input: {
      path: scopePath,
      header: z.object({ 'Idempotency-Key': idempotencyKey.optional() }),
      body: refreshRequestBody,
    },
    async handle(request, { path, header, body }) {
      if (body.max_credits < refreshReservationCredits) {
        throw refuse('max_credits_too_low', { detail: { minimum: refreshReservationCredits } });
      }
      const decision = await requestRefresh(deps, {
        requestId: request.requestId,
        accountId: request.authority.accountId,
        projectId: request.authority.projectId,
        idempotencyKey: header['Idempotency-Key'] ?? null,
        scope: path,
        language: body.language,
        maxCredits: body.max_credits,
      });
      return toAnswer(request, path, decision);
    },
  });
}

function toAnswer(request: AdmittedRequest, scope: Scope, decision: RefreshDecision): Answer {
  switch (decision.result) {
    case 'accepted': {
      const record = toWireAcceptedRecord({ ...decision, scope });
      return accepted(request, decision, record, retryAfterSeconds);
    }
    case 'replayed': {
      const { record, retry_after_seconds } = decision.view;
      const answer = accepted(request, decision, record, retry_after_seconds);
      return { ...answer, headers: { ...answer.headers, 'Idempotency-Replayed': 'true' } };
    }
    case 'refused':
      throw refuseRefresh(decision.refusal);
    case 'conflict':
      throw refuse('idempotency_conflict');
    case 'in_progress':
      throw refuseForNow('idempotency_in_progress', 1);
    case 'not_sent':
      throw refuseForNow('service_unavailable', retryAfterSeconds);
    case 'unknown':
      throw refuseForNow('service_unavailable', retryAfterSeconds, {
        detail: {
          outcome: 'unknown',
          ...(decision.refreshId ? { refresh_id: decision.refreshId } : {}),
        },
      });
    default:
      return unreachable(decision);
  }
}

/** `meta` is as at acceptance, also when the record has gone on since. */
function accepted(
  request: AdmittedRequest,
  terms: { readonly priceVersion: number; readonly creditsReserved: number },
  record: { readonly refresh_id: string },
  retryAfter: number | null,
): Answer {
  const meta = {
    request_id: request.requestId,
    product_code: product,
    price_version: terms.priceVersion,
    credits_reserved: terms.creditsReserved,
    billing_disposition: 'reserved',
    rate_limit: request.rateLimit,
  };
  return {
    status: 202,
    headers: {
      Location: refreshPath(record.refresh_id),
      ...(retryAfter === null ? {} : { 'Retry-After': String(retryAfter) }),
    },
    body: envelope(record, meta),
  };
}
