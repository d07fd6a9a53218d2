import type { CredentialRecord } from '@inventory/contracts/http/credentials';
import type { Clock } from '@inventory/runtime/clock';
import { exampleIds } from '../http/openapi/examples.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import type { OwnCredentialsTenancy } from './own-credentials.ts';

export interface CredentialRoutesDeps {
  readonly tenancy: OwnCredentialsTenancy;
  readonly cursors: CursorSealer;
  readonly clock: Clock;
}

export const credentialTag = 'Credentials';
export const credentialPermission = 'customer.credentials.manage.v1';
export const credentialsTemplate = '/v2/projects/{project_id}/credentials';
export const credentialErrors = ['project_not_found', 'credential_not_found'] as const;
export const secretShownOnce = 'The secret is shown in this response only.';

export const credentialExample: CredentialRecord = {
  credential_id: exampleIds.credential,
  project_id: exampleIds.project,
  account_id: exampleIds.account,
  service_account_id: exampleIds.serviceAccount,
  name: 'Price tracker',
  state: 'active',
  public_id: '02sCTjS2o0K1L7pMZ3eX4r',
  scopes: ['platform.inventory.current.page.v1'],
  expires_at: null,
  network_policy: null,
  replaced_secret_valid_until: null,
  created_at: '2026-01-15T10:00:00.000Z',
  changed_at: '2026-01-15T10:00:00.000Z',
  revoked_at: null,
};
export const issuedCredentialExample = {
  ...credentialExample,
  secret: 'inv_02sCTjS2o0K1L7pMZ3eX4r_<entropy>_<checksum>',
};
export const namedCredential = {
  project_id: '$response.body#/data/project_id',
  credential_id: '$response.body#/data/credential_id',
};
