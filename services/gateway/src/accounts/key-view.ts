import { exampleIds } from '../http/openapi/examples.ts';
import { type Principal, trafficLimitOf } from '../tenancy/principal.domain.ts';

/** What a Credential may do, and which limits it shares. */
export function keyViewOf(principal: Principal, customerRequestsPerMinute: number) {
  const { credentialId, projectId, permissions, expiresAtMs, eventsEnabled } = principal;
  const rateLimit = { limitPerMinute: principal.requestsPerMinute };
  return {
    rateLimit,
    serviceAccount: { id: principal.serviceAccountId, rateLimit },
    trafficLimit: { limitPerMinute: trafficLimitOf(principal, customerRequestsPerMinute) },
    eventsEnabled,
    credential: { credentialId, projectId, scopes: [...permissions], expiresAtMs },
  };
}

export const keyExample = {
  rate_limit: { limit_per_minute: 120 },
  service_account: { id: exampleIds.serviceAccount, rate_limit: { limit_per_minute: 120 } },
  traffic_limit: { limit_per_minute: 1_200 },
  events_enabled: true,
  credential: {
    credential_id: exampleIds.credential,
    project_id: exampleIds.project,
    scopes: ['*', 'customer.account.read.v1'],
    expires_at: null,
  },
};
