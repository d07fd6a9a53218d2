import { serviceAccountRecord } from '@inventory/contracts/http/tenancy';
import { z } from 'zod';
import { serviceAccountForOperators } from '../tenancy/tenancy-views.ts';
import { listById } from './list-by-id.ts';
import { operatorRoute } from './operator-route.ts';
import {
  accountPath,
  changeOf,
  limitPerMinute,
  listOf,
  listQuery,
  name,
  serviceAccountPath,
  settableNetworkPolicy,
} from './operator-schemas.ts';

const tag = 'Service accounts';
const errors = ['service_account_not_found'] as const;

export const serviceAccountRoutes = [
  operatorRoute({
    operationId: 'createServiceAccount',
    command: 'service-account create',
    tag,
    summary: 'Create a Service account of an account',
    description: 'It has the standard rate limit and no network policy.',
    method: 'POST',
    path: '/accounts/{account_id}/service-accounts',
    role: 'support',
    action: 'service-account.create',
    status: 201,
    input: { path: accountPath, body: z.strictObject({ name }) },
    response: serviceAccountRecord,
    errors: ['account_not_found'],
    async handle({ tenancy }, { path, body }) {
      const wanted = { accountId: path.accountId, name: body.name };
      return serviceAccountForOperators(await tenancy.createServiceAccount(wanted));
    },
  }),
  operatorRoute({
    operationId: 'listServiceAccounts',
    command: 'service-account list',
    columns: ['service_account_id', 'name', 'is_default', 'rate_limit_per_minute'],
    tag,
    summary: 'Service accounts of an account, the default one first, then oldest first',
    method: 'GET',
    path: '/accounts/{account_id}/service-accounts',
    role: 'read',
    input: { path: accountPath, query: listQuery },
    response: listOf(serviceAccountRecord),
    errors: ['account_not_found', 'invalid_cursor'],
    handle: (services, { path, query }) =>
      listById(services, query, {
        list: ['service_accounts', path.accountId],
        async read(part) {
          const account = await services.tenancy.requireAccount(path.accountId);
          const found = await services.tenancy.listServiceAccounts(account, part);
          return found.map(serviceAccountForOperators);
        },
        idOf: ({ serviceAccountId }) => serviceAccountId,
      }),
  }),
  operatorRoute({
    operationId: 'readServiceAccount',
    command: 'service-account show',
    tag,
    summary: 'One Service account',
    method: 'GET',
    path: '/service-accounts/{service_account_id}',
    role: 'read',
    input: { path: serviceAccountPath },
    response: serviceAccountRecord,
    errors,
    handle: async ({ tenancy }, { path }) =>
      serviceAccountForOperators(await tenancy.requireServiceAccount(path.serviceAccountId)),
  }),
  operatorRoute({
    operationId: 'changeServiceAccount',
    command: 'service-account change',
    tag,
    summary: 'Change the given fields of a Service account',
    method: 'PATCH',
    path: '/service-accounts/{service_account_id}',
    role: 'support',
    action: 'service-account.change',
    input: {
      path: serviceAccountPath,
      body: changeOf({
        rateLimitPerMinute: limitPerMinute
          .describe('Of all its Credentials together.')
          .exactOptional(),
        networkPolicy: settableNetworkPolicy.exactOptional(),
      }),
    },
    response: serviceAccountRecord,
    errors,
    handle: async ({ tenancy }, { path, body }) =>
      serviceAccountForOperators(await tenancy.changeServiceAccount(path.serviceAccountId, body)),
  }),
];
