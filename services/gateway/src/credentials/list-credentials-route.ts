import { credentialList, credentialsQuery } from '@inventory/contracts/http/credentials';
import { plainMeta } from '@inventory/contracts/http/meta';
import { projectPath } from '@inventory/contracts/http/parameters';
import { credentialId } from '@inventory/contracts/ids';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { exampleCursor, plainMetaExample } from '../http/openapi/examples.ts';
import { nextPart, sameProject } from '../http/openapi/links.ts';
import { publicRoute } from '../http/public-route.ts';
import { openOrRefuse } from '../http/sealed-cursor.ts';
import { toWireCredential } from '../tenancy/wire-credential.ts';
import {
  type CredentialRoutesDeps,
  credentialExample,
  credentialPermission,
  credentialsTemplate,
  credentialTag,
} from './credential-operation.ts';

/** GET …/credentials: all of the Project. */
export const listCredentialsRoute = publicRoute({
  operationId: 'listCredentials',
  tag: credentialTag,
  summary: 'Credentials of a Project',
  description: 'Oldest first, without their secrets; also those that were revoked.',
  method: 'GET',
  template: credentialsTemplate,
  permission: credentialPermission,
  input: { path: projectPath, query: credentialsQuery },
  answer: {
    status: 200,
    description: 'One part of the list.',
    links: { listCredentials: { ...sameProject, ...nextPart() } },
    body: { data: credentialList, meta: plainMeta },
    example: {
      success: true,
      data: {
        items: [credentialExample],
        pagination: { has_more: true, next_cursor: exampleCursor },
      },
      meta: plainMetaExample,
    },
  },
  errors: ['project_not_found', 'invalid_cursor'],
  async handle(
    { tenancy, clock, cursors }: CredentialRoutesDeps,
    { path: { project_id: projectId }, query: { limit, cursor } },
    { requestId, principal },
  ) {
    requireOwnProject(principal, projectId);
    const binding = ['credentials', projectId];
    const afterId =
      cursor === undefined ? null : credentialId.parse(openOrRefuse(cursors, cursor, binding));
    const found = await tenancy.listCredentials(projectId, { afterId, limit: limit + 1 });
    const items = found.slice(0, limit);
    const last = found.length > limit ? items.at(-1) : undefined;
    const next_cursor = last ? cursors.seal(last.id, binding) : null;
    const data = {
      items: items.map((one) => toWireCredential(one, clock.now())),
      pagination: { has_more: next_cursor !== null, next_cursor },
    };
    return { status: 200, body: envelope(data, { request_id: requestId }) };
  },
});
