import { publicIdOf } from '@inventory/contracts/credential-secret';
import { environmentOf } from '@inventory/contracts/environment';
import type { CredentialRecord } from '@inventory/contracts/http/credentials';
import type { IssuedCredential } from './credentials.ts';
import {
  type Credential,
  type CustomerAccount,
  defaultServiceAccountId,
  overlapEndMs,
  type ServiceAccount,
} from './tenancy.domain.ts';

/** An account as operators see it. */
export function accountForOperators(account: CustomerAccount) {
  const { accountId } = account;
  return {
    ...account,
    environment: environmentOf(accountId),
    defaultServiceAccountId: defaultServiceAccountId(accountId),
  };
}

/** A Service account as operators see it. */
export function serviceAccountForOperators(one: ServiceAccount) {
  return { ...one, isDefault: one.serviceAccountId === defaultServiceAccountId(one.accountId) };
}

/**
 * A Credential as it is shown. The public id identifies the Credential of a leaked key; no part of
 * the secret is shown.
 */
export function credentialView(credential: Credential, nowMs: number): CredentialRecord {
  const { secrets: _, rotation: _rotation, keyedRotations: _keyed, ...shown } = credential;
  return {
    ...shown,
    publicId: publicIdOf(credential.credentialId),
    replacedSecretValidUntilMs: overlapEndMs(credential, nowMs),
  };
}

/** The only response with a secret. */
export function issuedView({ credential, secret }: IssuedCredential, nowMs: number) {
  return { ...credentialView(credential, nowMs), secret };
}
