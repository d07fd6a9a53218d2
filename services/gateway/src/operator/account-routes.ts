import { accountRecord, ownerState, projectRecord } from '@inventory/contracts/http/tenancy';
import { wire } from '@inventory/contracts/wire';
import { Refused } from '@inventory/http/refused';
import { z } from 'zod';
import { fillUp } from '../sandbox/play-credits.ts';
import { accountForOperators } from '../tenancy/tenancy-views.ts';
import { listById } from './list-by-id.ts';
import { operatorRoute } from './operator-route.ts';
import {
  accountPath,
  changeOf,
  emptyBody,
  limitPerMinute,
  listOf,
  listQuery,
  name,
  settableNetworkPolicy,
} from './operator-schemas.ts';

const tag = 'Accounts';
const errors = ['account_not_found'] as const;

const isSandboxIssue = { in: 'path', field: 'account_id', reason: 'is a sandbox itself' } as const;

export const accountRoutes = [
  operatorRoute({
    operationId: 'createAccount',
    command: 'account create',
    tag,
    summary: 'Create a customer account',
    method: 'POST',
    path: '/accounts',
    role: 'support',
    action: 'account.create',
    status: 201,
    input: { body: z.strictObject({ name }) },
    response: accountRecord,
    handle: async ({ tenancy }, { body }) => accountForOperators(await tenancy.createAccount(body)),
  }),
  operatorRoute({
    operationId: 'listAccounts',
    command: 'account list',
    columns: ['account_id', 'name', 'state', 'rate_limit_per_minute', 'events_enabled'],
    tag,
    summary: 'Accounts, oldest first',
    method: 'GET',
    path: '/accounts',
    role: 'read',
    input: { query: listQuery },
    response: listOf(accountRecord),
    errors: ['invalid_cursor'],
    handle: (services, { query }) =>
      listById(services, query, {
        list: ['accounts'],
        read: async (part) => (await services.tenancy.listAccounts(part)).map(accountForOperators),
        idOf: ({ accountId }) => accountId,
      }),
  }),
  operatorRoute({
    operationId: 'readAccount',
    command: 'account show',
    tag,
    summary: 'One account',
    method: 'GET',
    path: '/accounts/{account_id}',
    role: 'read',
    input: { path: accountPath },
    response: accountRecord,
    errors,
    handle: async ({ tenancy }, { path }) =>
      accountForOperators(await tenancy.requireAccount(path.accountId)),
  }),
  operatorRoute({
    operationId: 'changeAccount',
    command: {
      'account change': {},
      'account suspend': { state: 'suspended' },
      'account reactivate': { state: 'active' },
      'events on': { events_enabled: true },
      'events off': { events_enabled: false },
      'capture on': { capture_enabled: true },
      'capture off': { capture_enabled: false },
    },
    tag,
    summary: 'Change the given fields of an account',
    description: 'A suspension stops every Credential of the account, at once.',
    method: 'PATCH',
    path: '/accounts/{account_id}',
    role: 'support',
    action: 'account.change',
    input: {
      path: accountPath,
      body: changeOf({
        state: ownerState.exactOptional(),
        networkPolicy: settableNetworkPolicy.exactOptional(),
        rateLimitPerMinute: limitPerMinute
          .describe('Of its default Service account.')
          .exactOptional(),
        trafficLimitPerMinute: limitPerMinute
          .nullable()
          .describe('Of all Service accounts together; null for the configured limit.')
          .exactOptional(),
        eventsEnabled: z
          .boolean()
          .describe('Whether its event streams may be read; events are logged either way.')
          .exactOptional(),
        captureEnabled: z
          .boolean()
          .describe(
            'Whether complete chains of Live Pages are saved as revisions; false also ends the ' +
              'capture of chains that are being read.',
          )
          .exactOptional(),
      }),
    },
    response: accountRecord,
    errors,
    handle: async ({ tenancy }, { path, body }) =>
      accountForOperators(await tenancy.changeAccount(path.accountId, body)),
  }),
  operatorRoute({
    operationId: 'createSandbox',
    command: 'account sandbox',
    tag,
    summary: 'Create the sandbox of an account',
    description:
      'An account with Projects, Credentials and limits of its own, whose inventories are simulated ' +
      'and whose credits fill up by themselves, once a day. An account has one: it is created by the ' +
      'first request, with a first Project, and returned by all. It is suspended and reactivated with ' +
      'its account.',
    method: 'PUT',
    path: '/accounts/{account_id}/sandbox',
    role: 'support',
    action: 'account.sandbox',
    input: { path: accountPath, body: emptyBody },
    response: wire({ account: accountRecord, project: projectRecord }),
    errors: ['account_not_found', 'billing_unavailable'],
    async handle(services, { path }) {
      const { tenancy, collectorOf } = services;
      const parent = await tenancy.requireAccount(path.accountId);
      if (parent.parentAccountId !== null) {
        throw new Refused({ code: 'invalid_request', detail: { issues: [isSandboxIssue] } });
      }
      // Without a collector none of its commands would be decided.
      collectorOf('sandbox');
      const { account, project } = await tenancy.createSandbox(parent);
      await fillUp(services, account.accountId);
      return { account: accountForOperators(account), project };
    },
  }),
];
