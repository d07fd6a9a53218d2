import { projectPath } from '@inventory/contracts/http/parameters';
import { projectId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import { z } from 'zod';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import type { Project } from '../tenancy/tenancy.domain.ts';
import { toWireProject } from './convert.ts';
import { listAnswer, readCursor } from './list-cursor.ts';
import { operatorRoute } from './operator-route.ts';
import {
  accountPath,
  emptyBody,
  listOf,
  listQuery,
  name,
  networkPolicyBody,
  projectRecord,
} from './operator-schemas.ts';

export interface ProjectRoutesDeps {
  readonly tenancy: Pick<
    Tenancy,
    'createProject' | 'findAccount' | 'listProjects' | 'findProject' | 'changeProject'
  >;
}

const tag = 'Projects';
const errors = ['project_not_found'] as const;

const routesOfAccount = [
  operatorRoute({
    operationId: 'createProject',
    tag,
    summary: 'Create a Project of an account',
    method: 'POST',
    path: '/accounts/{account_id}/projects',
    role: 'support',
    action: 'project.create',
    status: 201,
    input: {
      path: accountPath,
      body: z.strictObject({ name: name.nullable().default(null) }),
    },
    answer: projectRecord,
    errors: ['account_not_found'],
    async handle({ tenancy }: ProjectRoutesDeps, { path, body }) {
      const wanted = { accountId: path.account_id, name: body.name };
      return toWireProject(await tenancy.createProject(wanted));
    },
  }),
  operatorRoute({
    operationId: 'listProjects',
    tag,
    summary: 'Projects of an account, oldest first',
    method: 'GET',
    path: '/accounts/{account_id}/projects',
    role: 'read',
    input: { path: accountPath, query: listQuery },
    answer: listOf(projectRecord),
    errors: ['account_not_found', 'invalid_cursor'],
    async handle({ tenancy }: ProjectRoutesDeps, { path, query }) {
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

const routesOfProject = [
  operatorRoute({
    operationId: 'readProject',
    tag,
    summary: 'One Project',
    method: 'GET',
    path: '/projects/{project_id}',
    role: 'read',
    input: { path: projectPath },
    answer: projectRecord,
    errors,
    async handle({ tenancy }: ProjectRoutesDeps, { path }) {
      const project = await tenancy.findProject(path.project_id);
      if (project === null) throw new Refused({ code: 'project_not_found' });
      return toWireProject(project);
    },
  }),
  operatorRoute({
    operationId: 'suspendProject',
    tag,
    summary: 'Stop every Credential of a Project, at once',
    method: 'POST',
    path: '/projects/{project_id}/suspend',
    role: 'support',
    action: 'project.suspend',
    input: { path: projectPath, body: emptyBody },
    answer: projectRecord,
    errors,
    handle: async ({ tenancy }: ProjectRoutesDeps, { path }) =>
      toWireProject(await tenancy.changeProject(path.project_id, { state: 'suspended' })),
  }),
  operatorRoute({
    operationId: 'reactivateProject',
    tag,
    summary: 'Lift a suspension',
    method: 'POST',
    path: '/projects/{project_id}/reactivate',
    role: 'support',
    action: 'project.reactivate',
    input: { path: projectPath, body: emptyBody },
    answer: projectRecord,
    errors,
    handle: async ({ tenancy }: ProjectRoutesDeps, { path }) =>
      toWireProject(await tenancy.changeProject(path.project_id, { state: 'active' })),
  }),
  operatorRoute({
    operationId: 'setProjectNetworkPolicy',
    tag,
    summary: 'Replace the networks that clients of a Project must come from',
    method: 'PUT',
    path: '/projects/{project_id}/network-policy',
    role: 'support',
    action: 'project.network-policy',
    input: { path: projectPath, body: networkPolicyBody },
    answer: projectRecord,
    errors,
    async handle({ tenancy }: ProjectRoutesDeps, { path, body }) {
      const change = { networkPolicy: body.network_policy };
      return toWireProject(await tenancy.changeProject(path.project_id, change));
    },
  }),
];

export const projectRoutes = [...routesOfAccount, ...routesOfProject];

function isProjectId(text: string): boolean {
  return projectId.safeParse(text).success;
}
