import type { AccountView } from '@inventory/contracts/http/account';
import { isoTime } from '@inventory/runtime/clock';
import { envelope } from '../http/envelope.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { type Authority, mayUse } from '../tenancy/authority.domain.ts';
import { readAccountEndpoint } from './account-endpoints.ts';
import { type AccountStanding, type ReadAccountDeps, readAccount } from './read-account.ts';

/** GET /v2/account: what the account has, and what the Credential that asks may do. */
export function readAccountRoute(deps: ReadAccountDeps): Route {
  return defineRoute({
    ...readAccountEndpoint,
    async handle({ requestId, authority }) {
      const standing = await readAccount(deps, authority.accountId);
      const view = toWireAccount(authority, standing);
      return { status: 200, body: envelope(view, { request_id: requestId }) };
    },
  });
}

/** Money is everybody's who holds a Credential; limits and warnings are not. */
function toWireAccount(authority: Authority, { balance, terms }: AccountStanding): AccountView {
  const { expiresAtMs } = authority;
  const isFull = mayUse(authority, 'customer.account.read.v1');
  return {
    account_id: authority.accountId,
    balance,
    funding: terms.funding,
    rate_limit: { limit_per_minute: authority.requestsPerMinute },
    events_enabled: authority.eventsEnabled,
    credential: {
      credential_id: authority.credentialId,
      project_id: authority.projectId,
      scopes: [...authority.scopes],
      expires_at: expiresAtMs === null ? null : isoTime(expiresAtMs),
    },
    ...(isFull ? { spend_caps: terms.spend_caps, balance_alert: terms.balance_alert } : {}),
  };
}
