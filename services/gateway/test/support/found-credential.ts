import { newAccountId, newCredentialId, newProjectId } from '@inventory/testkit/builders';
import {
  type Credential,
  type CustomerAccount,
  defaultServiceAccountId,
  defaultServiceAccountOf,
  type FoundCredential,
} from '../../src/tenancy/tenancy.domain.ts';

const times = { createdAtMs: 0, changedAtMs: 0 };
const owner = { name: null, state: 'active', networkPolicy: null, ...times } as const;

/** A Credential with `*` whose one secret has the digest `digest`, with its owners, but for these changes. */
export function foundCredential(
  changes: { readonly [Part in keyof FoundCredential]?: Partial<FoundCredential[Part]> } = {},
): FoundCredential {
  const accountId = newAccountId();
  const projectId = newProjectId();
  const account: CustomerAccount = {
    ...owner,
    accountId,
    parentAccountId: null,
    name: 'Trader',
    rateLimitPerMinute: 120,
    defaultNetworkPolicy: null,
    trafficLimitPerMinute: null,
    hasServiceAccounts: false,
    eventsEnabled: true,
    captureEnabled: true,
    ...changes.account,
  };
  const credential: Credential = {
    ...owner,
    credentialId: newCredentialId(),
    accountId,
    projectId,
    serviceAccountId: defaultServiceAccountId(accountId),
    scopes: ['*'],
    expiresAtMs: null,
    secrets: [{ digest: 'digest', issuedAtMs: 0, validUntilMs: null }],
    rotation: 0,
    keyedRotations: [],
    revokedAtMs: null,
    ...changes.credential,
  };
  return {
    account,
    credential,
    project: { ...owner, projectId, accountId, ...changes.project },
    serviceAccount: { ...defaultServiceAccountOf(account), ...changes.serviceAccount },
  };
}
