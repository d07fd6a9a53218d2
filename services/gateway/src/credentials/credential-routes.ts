import { issueCredentialRoute } from './issue-credential-route.ts';
import { listCredentialsRoute } from './list-credentials-route.ts';
import { revokeCredentialRoute } from './revoke-credential-route.ts';
import { rotateCredentialRoute } from './rotate-credential-route.ts';

/** The Credentials of the own Project, in the order of the reference. */
export const credentialRoutes = [
  issueCredentialRoute,
  listCredentialsRoute,
  rotateCredentialRoute,
  revokeCredentialRoute,
];
