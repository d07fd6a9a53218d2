import { accountId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import { z } from 'zod';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import type { Account } from '../tenancy/tenancy.domain.ts';
import { toWireAccount } from './convert.ts';
import { listAnswer, readCursor } from './list-cursor.ts';
import { operatorRoute } from './operator-route.ts';
import {
  accountPath,
  accountRecord,
  emptyBody,
  limitPerMinute,
  listOf,
  listQuery,
  name,
  networkPolicyBody,
} from './operator-schemas.ts';

export interface AccountRoutesDeps {
  readonly tenancy: Pick<
    Tenancy,
    'createAccount' | 'findAccount' | 'listAccounts' | 'changeAccount'
  >;
}

const tag = 'Accounts';
const errors = ['account_not_found'] as const;

const ownRoutes = [
  operatorRoute({
    operationId: 'createAccount',
    tag,
    summary: 'Create a customer account',
    method: 'POST',
    path: '/accounts',
    role: 'support',
    action: 'account.create',
    status: 201,
    input: { body: z.strictObject({ name }) },
    answer: accountRecord,
    handle: async ({ tenancy }: AccountRoutesDeps, { body }) =>
      toWireAccount(await tenancy.createAccount(body)),
  }),
  operatorRoute({
    operationId: 'listAccounts',
    tag,
    summary: 'Accounts, oldest first',
    method: 'GET',
    path: '/accounts',
    role: 'read',
    input: { query: listQuery },
    answer: listOf(accountRecord),
    errors: ['invalid_cursor'],
    async handle({ tenancy }: AccountRoutesDeps, { query }) {
      const afterId = readCursor('accounts', query.cursor, isAccountId);
      const { limit } = query;
      const found = await tenancy.listAccounts({ afterId, limit: limit + 1 });
      const positionOf = (account: Account) => account.id;
      return listAnswer({ list: 'accounts', found, limit, positionOf, toWire: toWireAccount });
    },
  }),
  operatorRoute({
    operationId: 'readAccount',
    tag,
    summary: 'One account',
    method: 'GET',
    path: '/accounts/{account_id}',
    role: 'read',
    input: { path: accountPath },
    answer: accountRecord,
    errors,
    async handle({ tenancy }: AccountRoutesDeps, { path }) {
      const account = await tenancy.findAccount(path.account_id);
      if (account === null) throw new Refused({ code: 'account_not_found' });
      return toWireAccount(account);
    },
  }),
];

const changeRoutes = [
  operatorRoute({
    operationId: 'suspendAccount',
    tag,
    summary: 'Stop every Credential of an account, at once',
    method: 'POST',
    path: '/accounts/{account_id}/suspend',
    role: 'support',
    action: 'account.suspend',
    input: { path: accountPath, body: emptyBody },
    answer: accountRecord,
    errors,
    handle: async ({ tenancy }: AccountRoutesDeps, { path }) =>
      toWireAccount(await tenancy.changeAccount(path.account_id, { state: 'suspended' })),
  }),
  operatorRoute({
    operationId: 'reactivateAccount',
    tag,
    summary: 'Lift a suspension',
    method: 'POST',
    path: '/accounts/{account_id}/reactivate',
    role: 'support',
    action: 'account.reactivate',
    input: { path: accountPath, body: emptyBody },
    answer: accountRecord,
    errors,
    handle: async ({ tenancy }: AccountRoutesDeps, { path }) =>
      toWireAccount(await tenancy.changeAccount(path.account_id, { state: 'active' })),
  }),
  operatorRoute({
    operationId: 'setAccountNetworkPolicy',
    tag,
    summary: 'Replace the networks that clients of an account must come from',
    method: 'PUT',
    path: '/accounts/{account_id}/network-policy',
    role: 'support',
    action: 'account.network-policy',
    input: { path: accountPath, body: networkPolicyBody },
    answer: accountRecord,
    errors,
    async handle({ tenancy }: AccountRoutesDeps, { path, body }) {
      const change = { networkPolicy: body.network_policy };
      return toWireAccount(await tenancy.changeAccount(path.account_id, change));
    },
  }),
  operatorRoute({
    operationId: 'setRateLimit',
    tag,
    summary: 'Set the rate limit of the default Service account of an account',
    method: 'PUT',
    path: '/accounts/{account_id}/rate-limit',
    role: 'support',
    action: 'account.rate-limit',
    input: {
      path: accountPath,
      body: z.strictObject({ limit_per_minute: limitPerMinute }),
    },
    answer: accountRecord,
    errors,
    async handle({ tenancy }: AccountRoutesDeps, { path, body }) {
      const change = { requestsPerMinute: body.limit_per_minute };
      return toWireAccount(await tenancy.changeAccount(path.account_id, change));
    },
  }),
  operatorRoute({
    operationId: 'setTrafficLimit',
    tag,
    summary: 'Set how many requests a minute all Service accounts of an account share',
    description: 'Null applies the configured limit.',
    method: 'PUT',
    path: '/accounts/{account_id}/traffic-limit',
    role: 'support',
    action: 'account.traffic-limit',
    input: {
      path: accountPath,
      body: z.strictObject({ limit_per_minute: limitPerMinute.nullable() }),
    },
    answer: accountRecord,
    errors,
    async handle({ tenancy }: AccountRoutesDeps, { path, body }) {
      const change = { trafficLimitPerMinute: body.limit_per_minute };
      return toWireAccount(await tenancy.changeAccount(path.account_id, change));
    },
  }),
  operatorRoute({
    operationId: 'switchEvents',
    tag,
    summary: 'Let an account read its event streams, or close them',
    description: 'Events are logged either way.',
    method: 'PUT',
    path: '/accounts/{account_id}/events',
    role: 'support',
    action: 'account.events',
    input: { path: accountPath, body: z.strictObject({ enabled: z.boolean() }) },
    answer: accountRecord,
    errors,
    handle: async ({ tenancy }: AccountRoutesDeps, { path, body }) =>
      toWireAccount(await tenancy.changeAccount(path.account_id, { eventsEnabled: body.enabled })),
  }),
  operatorRoute({
    operationId: 'switchCapture',
    tag,
    summary: 'Save complete chains of Live Pages of an account as revisions, or leave them unsaved',
    description: 'On by default. Switched off, it ends the capture of chains that are being read.',
    method: 'PUT',
    path: '/accounts/{account_id}/capture',
    role: 'support',
    action: 'account.capture',
    input: { path: accountPath, body: z.strictObject({ enabled: z.boolean() }) },
    answer: accountRecord,
    errors,
    handle: async ({ tenancy }: AccountRoutesDeps, { path, body }) =>
      toWireAccount(await tenancy.changeAccount(path.account_id, { captureEnabled: body.enabled })),
  }),
];

export const accountRoutes = [...ownRoutes, ...changeRoutes];

function isAccountId(text: string): boolean {
  return accountId.safeParse(text).success;
}
