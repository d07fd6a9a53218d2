import {
  credentialRotation,
  issuedCredential,
  ownCredentialPath,
} from '@inventory/contracts/http/credentials';
import { plainMeta } from '@inventory/contracts/http/meta';
import { envelope } from '../http/answer.ts';
import { requireOwnProject } from '../http/authorize.ts';
import { plainMetaExample } from '../http/openapi/examples.ts';
import { publicRoute } from '../http/public-route.ts';
import { toWireIssued } from '../tenancy/wire-credential.ts';
import {
  type CredentialRoutesDeps,
  credentialErrors,
  credentialPermission,
  credentialsTemplate,
  credentialTag,
  issuedCredentialExample,
  secretShownOnce,
} from './credential-operation.ts';
import { findOwnCredential } from './own-credentials.ts';

/** POST …/{credential_id}/rotate: the secret is replaced. */
export const rotateCredentialRoute = publicRoute({
  operationId: 'rotateCredential',
  tag: credentialTag,
  summary: 'Replace the secret of a Credential',
  description: `Of one that this Credential could have issued. ${secretShownOnce}`,
  method: 'POST',
  template: `${credentialsTemplate}/{credential_id}/rotate`,
  permission: credentialPermission,
  input: { path: ownCredentialPath, body: credentialRotation },
  bodyExample: { overlap_seconds: 3_600 },
  answer: {
    status: 200,
    description: 'The Credential with its new secret.',
    body: { data: issuedCredential, meta: plainMeta },
    example: { success: true, data: issuedCredentialExample, meta: plainMetaExample },
  },
  errors: [...credentialErrors, 'credential_revoked', 'concurrent_change'],
  async handle(
    { tenancy, clock }: Omit<CredentialRoutesDeps, 'cursors'>,
    { path, body },
    { requestId, principal },
  ) {
    requireOwnProject(principal, path.project_id);
    const { id } = await findOwnCredential(tenancy, principal, path.credential_id);
    const overlapMs = body.overlap_seconds * 1_000;
    const issued = await tenancy.rotateCredential({ credentialId: id, overlapMs });
    const data = toWireIssued(issued, clock.now());
    return { status: 200, body: envelope(data, { request_id: requestId }) };
  },
});
