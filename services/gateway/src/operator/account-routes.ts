import { accountId, projectId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import type { Account, Project } from '../tenancy/tenancy.domain.ts';
import { toWireAccount, toWireProject } from './convert.ts';
import { listAnswer, readCursor } from './list-cursor.ts';
import { type OperatorRoute, operatorRoute } from './operator-route.ts';
import {
  accountBody,
  accountPath,
  eventsBody,
  listQuery,
  networkPolicyBody,
  noBody,
  projectBody,
  rateLimitBody,
} from './operator-schemas.ts';

type AccountTenancy = Pick<
  Tenancy,
  | 'createAccount'
  | 'findAccount'
  | 'listAccounts'
  | 'changeAccount'
  | 'createProject'
  | 'listProjects'
>;

export function accountRoutes(tenancy: AccountTenancy): OperatorRoute[] {
  return [...ownRoutes(tenancy), ...changeRoutes(tenancy), ...projectRoutesOf(tenancy)];
}

function ownRoutes(tenancy: AccountTenancy): OperatorRoute[] {
  return [
    operatorRoute({
      method: 'post',
      path: '/accounts',
      action: 'account.create',
      status: 201,
      parts: { body: accountBody },
      handle: async ({ body }) => toWireAccount(await tenancy.createAccount(body)),
    }),
    operatorRoute({
      method: 'get',
      path: '/accounts',
      parts: { query: listQuery },
      async handle({ query }) {
        const afterId = readCursor('accounts', query.cursor, isAccountId);
        const { limit } = query;
        const found = await tenancy.listAccounts({ afterId, limit: limit + 1 });
        const positionOf = (account: Account) => account.id;
        return listAnswer({ list: 'accounts', found, limit, positionOf, toWire: toWireAccount });
      },
    }),
    operatorRoute({
      method: 'get',
      path: '/accounts/:account_id',
      parts: { path: accountPath },
      async handle({ path }) {
        const account = await tenancy.findAccount(path.account_id);
        if (account === null) throw new Refused({ code: 'account_not_found' });
        return toWireAccount(account);
      },
    }),
  ];
}

function changeRoutes(tenancy: AccountTenancy): OperatorRoute[] {
  const { changeAccount } = tenancy;
  const parts = { path: accountPath, body: noBody };
  return [
    operatorRoute({
      method: 'post',
      path: '/accounts/:account_id/suspend',
      action: 'account.suspend',
      parts,
      handle: async ({ path }) =>
        toWireAccount(await changeAccount(path.account_id, { state: 'suspended' })),
    }),
    operatorRoute({
      method: 'post',
      path: '/accounts/:account_id/reactivate',
      action: 'account.reactivate',
      parts,
      handle: async ({ path }) =>
        toWireAccount(await changeAccount(path.account_id, { state: 'active' })),
    }),
    operatorRoute({
      method: 'put',
      path: '/accounts/:account_id/network-policy',
      action: 'account.network-policy',
      parts: { path: accountPath, body: networkPolicyBody },
      handle: async ({ path, body }) =>
        toWireAccount(await changeAccount(path.account_id, { networkPolicy: body.network_policy })),
    }),
    operatorRoute({
      method: 'put',
      path: '/accounts/:account_id/rate-limit',
      action: 'account.rate-limit',
      parts: { path: accountPath, body: rateLimitBody },
      handle: async ({ path, body }) =>
        toWireAccount(
          await changeAccount(path.account_id, { requestsPerMinute: body.limit_per_minute }),
        ),
    }),
    operatorRoute({
      method: 'put',
      path: '/accounts/:account_id/events',
      action: 'account.events',
      parts: { path: accountPath, body: eventsBody },
      handle: async ({ path, body }) =>
        toWireAccount(await changeAccount(path.account_id, { eventsEnabled: body.enabled })),
    }),
  ];
}

function projectRoutesOf(tenancy: AccountTenancy): OperatorRoute[] {
  return [
    operatorRoute({
      method: 'post',
      path: '/accounts/:account_id/projects',
      action: 'project.create',
      status: 201,
      parts: { path: accountPath, body: projectBody },
      handle: async ({ path, body }) =>
        toWireProject(await tenancy.createProject({ accountId: path.account_id, name: body.name })),
    }),
    operatorRoute({
      method: 'get',
      path: '/accounts/:account_id/projects',
      parts: { path: accountPath, query: listQuery },
      async handle({ path, query }) {
        const afterId = readCursor('projects', query.cursor, isProjectId);
        const account = await tenancy.findAccount(path.account_id);
        if (account === null) throw new Refused({ code: 'account_not_found' });
        const { limit } = query;
        const found = await tenancy.listProjects(account.id, { afterId, limit: limit + 1 });
        const positionOf = (project: Project) => project.id;
        return listAnswer({ list: 'projects', found, limit, positionOf, toWire: toWireProject });
      },
    }),
  ];
}

function isAccountId(text: string): boolean {
  return accountId.safeParse(text).success;
}

function isProjectId(text: string): boolean {
  return projectId.safeParse(text).success;
}
