import { projectPath } from '@inventory/contracts/http/parameters';
import { ownerState, projectRecord } from '@inventory/contracts/http/tenancy';
import { z } from 'zod';
import { listById } from './list-by-id.ts';
import { operatorRoute } from './operator-route.ts';
import {
  accountPath,
  changeOf,
  listOf,
  listQuery,
  name,
  settableNetworkPolicy,
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
    response: projectRecord,
    errors: ['account_not_found'],
    handle: ({ tenancy }, { path, body }) =>
      tenancy.createProject({ accountId: path.accountId, name: body.name }),
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
    response: listOf(projectRecord),
    errors: ['account_not_found', 'invalid_cursor'],
    handle: (services, { path, query }) =>
      listById(services, query, {
        list: ['projects', path.accountId],
        async read(part) {
          const { accountId } = await services.tenancy.requireAccount(path.accountId);
          return await services.tenancy.listProjects(accountId, part);
        },
        idOf: ({ projectId }) => projectId,
      }),
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
    response: projectRecord,
    errors,
    handle: ({ tenancy }, { path }) => tenancy.requireProject(path.projectId),
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
        networkPolicy: settableNetworkPolicy.exactOptional(),
      }),
    },
    response: projectRecord,
    errors,
    handle: ({ tenancy }, { path, body }) => tenancy.changeProject(path.projectId, body),
  }),
];
