import { credentialId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { Clock } from '@inventory/runtime/clock';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import type { Credential } from '../tenancy/tenancy.domain.ts';
import { toWireCredential, toWireIssued, toWireProject } from './convert.ts';
import { listAnswer, readCursor } from './list-cursor.ts';
import { type OperatorRoute, operatorRoute } from './operator-route.ts';
import {
  credentialBody,
  listQuery,
  networkPolicyBody,
  noBody,
  projectPath,
  requireFuture,
} from './operator-schemas.ts';

type ProjectTenancy = Pick<
  Tenancy,
  'findProject' | 'changeProject' | 'issueCredential' | 'listCredentials'
>;

export function projectRoutes(tenancy: ProjectTenancy, clock: Clock): OperatorRoute[] {
  return [...ownRoutes(tenancy), ...credentialRoutesOf(tenancy, clock)];
}

function ownRoutes(tenancy: ProjectTenancy): OperatorRoute[] {
  const { changeProject } = tenancy;
  const parts = { path: projectPath, body: noBody };
  return [
    operatorRoute({
      method: 'get',
      path: '/projects/:project_id',
      parts: { path: projectPath },
      async handle({ path }) {
        const project = await tenancy.findProject(path.project_id);
        if (project === null) throw new Refused({ code: 'project_not_found' });
        return toWireProject(project);
      },
    }),
    operatorRoute({
      method: 'post',
      path: '/projects/:project_id/suspend',
      action: 'project.suspend',
      parts,
      handle: async ({ path }) =>
        toWireProject(await changeProject(path.project_id, { state: 'suspended' })),
    }),
    operatorRoute({
      method: 'post',
      path: '/projects/:project_id/reactivate',
      action: 'project.reactivate',
      parts,
      handle: async ({ path }) =>
        toWireProject(await changeProject(path.project_id, { state: 'active' })),
    }),
    operatorRoute({
      method: 'put',
      path: '/projects/:project_id/network-policy',
      action: 'project.network-policy',
      parts: { path: projectPath, body: networkPolicyBody },
      handle: async ({ path, body }) =>
        toWireProject(await changeProject(path.project_id, { networkPolicy: body.network_policy })),
    }),
  ];
}

function credentialRoutesOf(tenancy: ProjectTenancy, clock: Clock): OperatorRoute[] {
  return [
    operatorRoute({
      method: 'post',
      path: '/projects/:project_id/credentials',
      action: 'credential.issue',
      status: 201,
      parts: { path: projectPath, body: credentialBody },
      async handle({ path, body }) {
        requireFuture(body.expires_at, clock.now());
        const issued = await tenancy.issueCredential({
          projectId: path.project_id,
          name: body.name,
          scopes: body.scopes,
          expiresAtMs: body.expires_at,
          networkPolicy: body.network_policy,
        });
        return toWireIssued(issued, clock.now());
      },
    }),
    operatorRoute({
      method: 'get',
      path: '/projects/:project_id/credentials',
      parts: { path: projectPath, query: listQuery },
      async handle({ path, query }) {
        const afterId = readCursor('credentials', query.cursor, isCredentialId);
        const project = await tenancy.findProject(path.project_id);
        if (project === null) throw new Refused({ code: 'project_not_found' });
        const { limit } = query;
        const found = await tenancy.listCredentials(project.id, { afterId, limit: limit + 1 });
        const positionOf = (credential: Credential) => credential.id;
        const toWire = (credential: Credential) => toWireCredential(credential, clock.now());
        return listAnswer({ list: 'credentials', found, limit, positionOf, toWire });
      },
    }),
  ];
}

function isCredentialId(text: string): boolean {
  return credentialId.safeParse(text).success;
}
