import { credentialRecord, ownCredentialPath } from '@inventory/contracts/http/credentials';
import { plainMeta } from '@inventory/contracts/http/meta';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { plainMetaExample } from '../http/openapi/examples.ts';
import { publicRoute } from '../http/public-route.ts';
import { toWireCredential } from '../tenancy/wire-credential.ts';
import {
  type CredentialRoutesDeps,
  credentialErrors,
  credentialExample,
  credentialPermission,
  credentialsTemplate,
  credentialTag,
} from './credential-operation.ts';
import { findOwnCredential } from './own-credentials.ts';

/** DELETE …/{credential_id}: final. */
export const revokeCredentialRoute = publicRoute({
  operationId: 'revokeCredential',
  tag: credentialTag,
  summary: 'End a Credential, at once and for good',
  description: 'One that this Credential could have issued. Repeating it is safe.',
  method: 'DELETE',
  template: `${credentialsTemplate}/{credential_id}`,
  permission: credentialPermission,
  input: { path: ownCredentialPath },
  answer: {
    status: 200,
    description: 'The Credential is revoked.',
    body: { data: credentialRecord, meta: plainMeta },
    example: {
      success: true,
      data: { ...credentialExample, state: 'revoked', revoked_at: '2026-01-20T10:00:00.000Z' },
      meta: plainMetaExample,
    },
  },
  errors: credentialErrors,
  async handle(
    { tenancy, clock }: Omit<CredentialRoutesDeps, 'cursors'>,
    { path },
    { requestId, principal },
  ) {
    requireOwnProject(principal, path.project_id);
    const { id } = await findOwnCredential(tenancy, principal, path.credential_id);
    const data = toWireCredential(await tenancy.revokeCredential(id), clock.now());
    return { status: 200, body: envelope(data, { request_id: requestId }) };
  },
});
