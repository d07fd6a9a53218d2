import { issuedCredential, newCredential } from '@inventory/contracts/http/credentials';
import { plainMeta } from '@inventory/contracts/http/meta';
import { projectPath } from '@inventory/contracts/http/parameters';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { plainMetaExample } from '../http/openapi/examples.ts';
import { publicRoute } from '../http/public-route.ts';
import { requireFuture } from '../tenancy/credentials.ts';
import { toWireIssued } from '../tenancy/wire-credential.ts';
import {
  type CredentialRoutesDeps,
  credentialExample,
  credentialPermission,
  credentialsTemplate,
  credentialTag,
  issuedCredentialExample,
  namedCredential,
  secretShownOnce,
} from './credential-operation.ts';
import { issueOwnCredential } from './own-credentials.ts';

/** POST …/credentials: a Credential with at most the authority of the caller's. */
export const issueCredentialRoute = publicRoute({
  operationId: 'issueCredential',
  tag: credentialTag,
  summary: 'New Credential',
  description:
    'Of this Project, with at most what this Credential may do: its Service account and network ' +
    'policy, no later end, and none of the permissions to manage. ' +
    `${secretShownOnce} A Project can have 100 active Credentials that way.`,
  method: 'POST',
  template: credentialsTemplate,
  permission: credentialPermission,
  input: { path: projectPath, body: newCredential },
  bodyExample: { name: credentialExample.name, scopes: credentialExample.scopes },
  answer: {
    status: 201,
    description: 'The Credential with its secret.',
    links: { rotateCredential: namedCredential, revokeCredential: namedCredential },
    body: { data: issuedCredential, meta: plainMeta },
    example: { success: true, data: issuedCredentialExample, meta: plainMetaExample },
  },
  errors: ['project_not_found', 'credential_limit_reached'],
  async handle(
    { tenancy, clock }: Omit<CredentialRoutesDeps, 'cursors'>,
    { path, body },
    { requestId, principal },
  ) {
    requireOwnProject(principal, path.project_id);
    requireFuture(body.expires_at ?? null, clock.now());
    const { name, scopes: permissions, expires_at: expiresAtMs } = body;
    const issued = await issueOwnCredential(tenancy, principal, {
      name,
      permissions,
      expiresAtMs,
    });
    const data = toWireIssued(issued, clock.now());
    return { status: 201, body: envelope(data, { request_id: requestId }) };
  },
});
