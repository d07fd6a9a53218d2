import { projectPath } from '@inventory/contracts/http/parameters';
import { projectId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import { z } from 'zod';
import type { Project } from '../tenancy/tenancy.domain.ts';
import { fromWireChange, toWireProject } from './convert.ts';
import { listAnswer, readCursor } from './list-cursor.ts';
import { operatorRoute } from './operator-route.ts';
import {
  accountPath,
  changeOf,
  listOf,
  listQuery,
  name,
  networkPolicy,
  ownerState,
  projectRecord,
} from './operator-schemas.ts';

const tag = 'Projects';
const errors = ['project_not_found'] as const;

export const projectRoutes = [
  operatorRoute({
    operationId: 'createProject',
    command: 'project create',
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
    async handle({ tenancy }, { path, body }) {
      const wanted = { accountId: path.account_id, name: body.name };
      return toWireProject(await tenancy.createProject(wanted));
    },
  }),
  operatorRoute({
    operationId: 'listProjects',
    command: 'project list',
    columns: ['project_id', 'name', 'state', 'network_policy', 'created_at'],
    tag,
    summary: 'Projects of an account, oldest first',
    method: 'GET',
    path: '/accounts/{account_id}/projects',
    role: 'read',
    input: { path: accountPath, query: listQuery },
    answer: listOf(projectRecord),
    errors: ['account_not_found', 'invalid_cursor'],
    async handle({ tenancy }, { path, query }) {
      const afterId = readCursor('projects', query.cursor, projectId);
      const account = await tenancy.findAccount(path.account_id);
      if (account === null) throw new Refused({ code: 'account_not_found' });
      const { limit } = query;
      const found = await tenancy.listProjects(account.id, { afterId, limit: limit + 1 });
      const positionOf = (project: Project) => project.id;
      return listAnswer({ list: 'projects', found, limit, positionOf, toWire: toWireProject });
    },
  }),
  operatorRoute({
    operationId: 'readProject',
    command: 'project show',
    tag,
    summary: 'One Project',
    method: 'GET',
    path: '/projects/{project_id}',
    role: 'read',
    input: { path: projectPath },
    answer: projectRecord,
    errors,
    async handle({ tenancy }, { path }) {
      const project = await tenancy.findProject(path.project_id);
      if (project === null) throw new Refused({ code: 'project_not_found' });
      return toWireProject(project);
    },
  }),
  operatorRoute({
    operationId: 'changeProject',
    command: {
      'project change': {},
      'project suspend': { state: 'suspended' },
      'project reactivate': { state: 'active' },
    },
    tag,
    summary: 'Change the given fields of a Project',
    description: 'A suspension stops every Credential of the Project, at once.',
    method: 'PATCH',
    path: '/projects/{project_id}',
    role: 'support',
    action: 'project.change',
    input: {
      path: projectPath,
      body: changeOf({
        state: ownerState.exactOptional(),
        network_policy: networkPolicy.exactOptional(),
      }),
    },
    answer: projectRecord,
    errors,
    handle: async ({ tenancy }, { path, body }) =>
      toWireProject(await tenancy.changeProject(path.project_id, fromWireChange(body))),
  }),
];
