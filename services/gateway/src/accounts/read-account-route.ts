import { type AccountView, accountView } from '@inventory/contracts/http/account';
import type { AccountId } from '@inventory/contracts/ids';
import type { AccountTerms } from '@inventory/contracts/internal/ledger';
import { dataRoute } from '../http/data-route.ts';
import { exampleIds } from '../http/openapi/examples.ts';
import { mayUse, type Principal } from '../tenancy/principal.domain.ts';
import type { AccountServices } from './account-services.ts';
import { keyExample, keyViewOf } from './key-view.ts';
import type { LedgerClient } from './ledger-client.ts';

const ofProject = [
  'readProject',
  'listRefreshes',
  'listWatches',
  'putWatches',
  'testWatches',
  'listEvents',
  'streamEvents',
  'createWebhookEndpoint',
  'listWebhookEndpoints',
  'issueCredential',
  'listCredentials',
  'readUsage',
];

/** GET /v2/account: what the account has, and what the Credential of the request may do. */
export const readAccountRoute = dataRoute({
  operationId: 'readAccount',
  tag: 'Account',
  summary: 'Account',
  description:
    'Balance, funding, limits, and the Credential of the request. `spend_caps`, ' +
    '`credential_spend_caps` and `balance_alert` are there for Credentials with `customer.account.read.v1` only.',
  method: 'GET',
  template: '/v2/account',
  input: {},
  response: {
    status: 200,
    description: 'The account as it is now.',
    links: Object.fromEntries(
      ofProject.map((operationId) => [
        operationId,
        { project_id: '$response.body#/data/credential/project_id' },
      ]),
    ),
    data: accountView,
    example: {
      account_id: exampleIds.account,
      balance: { total: 1_121, held: 125, available: 996 },
      funding: { mode: 'credits' },
      ...keyExample,
      spend_caps: [
        {
          project_id: exampleIds.project,
          cap: 5_000,
          spent: 300,
          resets_at: '2026-02-01T00:00:00.000Z',
        },
      ],
      credential_spend_caps: [
        {
          credential_id: exampleIds.credential,
          cap: 500,
          spent: 125,
          resets_at: '2026-02-01T00:00:00.000Z',
        },
      ],
      balance_alert: { threshold: 500 },
    },
  },
  errors: [],
  async handle({ ledger, customerRequestsPerMinute }: AccountServices, _input, { principal }) {
    const limits = await readAccount(ledger, principal.accountId);
    const key = keyViewOf(principal, customerRequestsPerMinute);
    return { data: { ...accountViewOf(principal, limits), ...key } };
  },
});

/** Every Credential may read balances; limits and alerts need a permission. */
function accountViewOf(
  principal: Principal,
  { balance, terms }: AccountLimits,
): Omit<AccountView, keyof ReturnType<typeof keyViewOf>> {
  const isFull = mayUse(principal.permissions, 'customer.account.read.v1');
  const { funding, spendCaps, credentialSpendCaps, balanceAlert } = terms;
  return {
    accountId: principal.accountId,
    balance,
    funding,
    ...(isFull ? { spendCaps, credentialSpendCaps, balanceAlert } : {}),
  };
}

interface AccountLimits {
  /** Prepaid credits. */
  readonly balance: { readonly total: number; readonly held: number; readonly available: number };
  readonly terms: AccountTerms;
}

const nothing = { total: 0, held: 0, available: 0 };

/** Balance and terms of the account as of the latest ledger entry. */
async function readAccount(ledger: LedgerClient, accountId: AccountId): Promise<AccountLimits> {
  const [{ balances }, terms] = await Promise.all([
    ledger.readBalance(accountId),
    ledger.readTerms(accountId),
  ]);
  const { total, held, available } = balances.find(({ asset }) => asset === 'credits') ?? nothing;
  return { balance: { total, held, available }, terms };
}
