import { type AccountView, accountView } from '@inventory/contracts/http/account';
import { plainMeta } from '@inventory/contracts/http/meta';
import { isoTime } from '@inventory/runtime/clock';
import { envelope } from '../http/envelope.ts';
import { exampleIds, plainMetaExample } from '../http/openapi/examples.ts';
import { publicRoute } from '../http/public-route.ts';
import { mayUse, type Principal, trafficLimitOf } from '../tenancy/principal.domain.ts';
import { type AccountStanding, type ReadAccountDeps, readAccount } from './read-account.ts';

const ofProject = [
  'listRefreshes',
  'listEvents',
  'streamEvents',
  'createWebhookEndpoint',
  'listWebhookEndpoints',
  'readUsage',
];

/** GET /v2/account: what the account has, and what the Credential of the request may do. */
export const readAccountRoute = publicRoute({
  operationId: 'readAccount',
  tag: 'Account',
  summary: 'Account',
  description:
    'Balance, funding, limits, and the Credential of the request. `spend_caps` and ' +
    '`balance_alert` are there for Credentials with `customer.account.read.v1` only.',
  method: 'GET',
  template: '/v2/account',
  input: {},
  answer: {
    status: 200,
    description: 'The account as it is now.',
    links: Object.fromEntries(
      ofProject.map((operationId) => [
        operationId,
        { project_id: '$response.body#/data/credential/project_id' },
      ]),
    ),
    body: { data: accountView, meta: plainMeta },
    example: {
      success: true,
      data: {
        account_id: exampleIds.account,
        balance: { total: 1_121, held: 125, available: 996 },
        funding: { mode: 'credits' },
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
        spend_caps: [
          {
            project_id: exampleIds.project,
            cap: 5_000,
            spent: 300,
            resets_at: '2026-02-01T00:00:00.000Z',
          },
        ],
        balance_alert: { threshold: 500 },
      },
      meta: plainMetaExample,
    },
  },
  errors: [],
  async handle(deps: ReadAccountDeps, _input, { requestId, principal }) {
    const standing = await readAccount(deps, principal.accountId);
    const trafficLimit = trafficLimitOf(principal, deps.customerRequestsPerMinute);
    const view = toWireAccount(principal, standing, trafficLimit);
    return { status: 200, body: envelope(view, { request_id: requestId }) };
  },
});

/** Every Credential may read balances; limits and alerts need a permission. */
function toWireAccount(
  principal: Principal,
  { balance, terms }: AccountStanding,
  trafficLimit: number,
): AccountView {
  const { expiresAtMs } = principal;
  const rateLimit = { limit_per_minute: principal.requestsPerMinute };
  const isFull = mayUse(principal, 'customer.account.read.v1');
  return {
    account_id: principal.accountId,
    balance,
    funding: terms.funding,
    rate_limit: rateLimit,
    service_account: { id: principal.serviceAccountId, rate_limit: rateLimit },
    traffic_limit: { limit_per_minute: trafficLimit },
    events_enabled: principal.eventsEnabled,
    credential: {
      credential_id: principal.credentialId,
      project_id: principal.projectId,
      scopes: [...principal.permissions],
      expires_at: expiresAtMs === null ? null : isoTime(expiresAtMs),
    },
    ...(isFull ? { spend_caps: terms.spend_caps, balance_alert: terms.balance_alert } : {}),
  };
}
