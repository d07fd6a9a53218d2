import {
  accountStatement,
  accountUsage,
  accountView,
  balanceAlert,
  statementQuery,
  usageQuery,
} from '@inventory/contracts/http/account';
import { plainMeta } from '@inventory/contracts/http/meta';
import { priceView } from '@inventory/contracts/http/prices';
import { z } from 'zod';
import { defineEndpoint } from '../http/endpoint.ts';
import { exampleCursor, exampleIds, plainMetaExample } from '../http/openapi/examples.ts';
import { statementCsv } from './statement-csv.ts';

const tag = 'Account';
const permission = 'customer.account.read.v1';
const nothing = { path: z.object({}) };

export const readAccountEndpoint = defineEndpoint({
  operationId: 'readAccount',
  tag,
  summary: 'Account',
  description:
    'Balance, funding, rate limit, and the Credential that asks. `spend_caps` and ' +
    '`balance_alert` are there for Credentials with `customer.account.read.v1` only.',
  method: 'GET',
  template: '/v2/account',
  input: nothing,
  answer: {
    status: 200,
    description: 'The account as it is now.',
    body: { data: accountView, meta: plainMeta },
    example: {
      success: true,
      data: {
        account_id: exampleIds.account,
        balance: { total: 1_121, held: 125, available: 996 },
        funding: { mode: 'credits' },
        rate_limit: { limit_per_minute: 120 },
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
});

const rowExample = {
  entry_id: '42',
  at: '2026-01-15T10:00:00.000Z',
  kind: 'charge',
  asset: 'credits',
  change_available: -1,
  change_held: 0,
  available_after: 996,
  held_after: 125,
  product_code: 'platform.inventory.page.v1',
  price_version: 1,
  project_id: exampleIds.project,
  refresh_id: null,
  request_id: exampleIds.request,
  reason: null,
} as const;

export const readStatementEndpoint = defineEndpoint({
  operationId: 'readStatement',
  tag,
  summary: 'Statement',
  description:
    'Every entry of the account, oldest first. With `Accept: text/csv` the same columns as CSV, ' +
    'where `Link: <…>; rel="next"` leads to the next part.',
  method: 'GET',
  template: '/v2/account/statement',
  permission,
  types: ['application/json', 'text/csv'],
  input: { ...nothing, query: statementQuery },
  answer: {
    status: 200,
    description: 'One part of the statement.',
    body: { data: accountStatement, meta: plainMeta },
    example: {
      success: true,
      data: {
        items: [rowExample],
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta: plainMetaExample,
    },
    otherTypes: { 'text/csv': statementCsv([rowExample]) },
    headers: {
      Link: 'Of CSV: where the statement goes on; absent on the last part.',
      'Content-Disposition': 'Of CSV: the name of the file.',
    },
  },
  errors: ['invalid_cursor'],
});

export const readUsageEndpoint = defineEndpoint({
  operationId: 'readUsage',
  tag,
  summary: 'Usage',
  description:
    'What was charged by UTC day, Project and product: of at most 31 days, both included, or of ' +
    'the present UTC month so far.',
  method: 'GET',
  template: '/v2/account/usage',
  permission,
  input: { ...nothing, query: usageQuery },
  answer: {
    status: 200,
    description: 'The usage of these days.',
    body: { data: accountUsage, meta: plainMeta },
    example: {
      success: true,
      data: {
        from: '2026-01-01',
        to: '2026-01-15',
        items: [
          {
            day: '2026-01-15',
            project_id: exampleIds.project,
            product_code: 'platform.inventory.page.v1',
            asset: 'credits',
            count: 12,
            charged: 12,
            reversed: 1,
          },
        ],
      },
      meta: plainMetaExample,
    },
  },
  errors: ['project_not_found'],
});

export const setBalanceAlertEndpoint = defineEndpoint({
  operationId: 'setBalanceAlert',
  tag,
  summary: 'Balance alert',
  description:
    'Warns once each time less than the threshold becomes available; null for no alert. Setting ' +
    'it again is safe.',
  method: 'PUT',
  template: '/v2/account/balance-alert',
  permission,
  input: { ...nothing, body: balanceAlert },
  bodyExample: { threshold: 500 },
  answer: {
    status: 200,
    description: 'The alert is set.',
    body: { data: balanceAlert, meta: plainMeta },
    example: { success: true, data: { threshold: 500 }, meta: plainMetaExample },
  },
  errors: [],
});

export const readPricesEndpoint = defineEndpoint({
  operationId: 'readPrices',
  tag,
  summary: 'Prices',
  description: 'The price list in force, in credits. Subscription units cost the same numbers.',
  method: 'GET',
  template: '/v2/prices',
  input: nothing,
  answer: {
    status: 200,
    description: 'The price list.',
    body: { data: priceView, meta: plainMeta },
    example: {
      success: true,
      data: {
        price_version: 1,
        effective_at: '2026-01-01T00:00:00.000Z',
        refresh: {
          product_code: 'platform.inventory.refresh.v1',
          reservation: 125,
          block: 1,
          block_assets: 2_000,
          diagnostic: 1,
        },
        live_page: { product_code: 'platform.inventory.page.v1', page: 1 },
        current_page: { product_code: 'platform.inventory.current.page.v1', page: 1 },
      },
      meta: plainMetaExample,
    },
  },
  errors: [],
});
