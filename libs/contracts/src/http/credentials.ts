import { z } from 'zod';
import { accountId, credentialId, projectId, serviceAccountId } from '../ids.ts';
import { grantedPermission } from '../vocabulary.ts';
import { pagination } from './meta.ts';
import { controlFree, listParameters, requestTime } from './parameters.ts';

/** Most active Credentials of a Project with which its customer can issue another. */
export const credentialsMax = 100;
/** Most that were issued within 24 hours with which its customer can. */
export const credentialsPerDayMax = 200;
/** How long one that was revoked or has expired is kept. */
export const endedCredentialKeepDays = 90;

const time = z.iso.datetime();

const name = z.string().min(1).max(200).regex(controlFree, 'must not contain control characters');

export const scopes = z
  .array(grantedPermission)
  .min(1)
  .max(grantedPermission.options.length)
  .transform((given) => [...new Set(given)]);

/** When a Credential ends, in milliseconds since the epoch. */
export const expiry = requestTime
  .transform((text) => Date.parse(text))
  .nullable()
  .describe('In the future; null for never.');

export const credentialRecord = z.object({
  credential_id: credentialId,
  project_id: projectId,
  account_id: accountId,
  service_account_id: serviceAccountId,
  name: z.string().nullable(),
  state: z.enum(['active', 'revoked']),
  /** Part of the secret that identifies the Credential of a leaked key. */
  public_id: z.string(),
  scopes: z.array(grantedPermission),
  expires_at: time.nullable(),
  network_policy: z.array(z.string()).nullable(),
  replaced_secret_valid_until: time.nullable(),
  created_at: time,
  changed_at: time,
  revoked_at: time.nullable(),
});
export type CredentialRecord = z.infer<typeof credentialRecord>;

/** The only response with a secret. */
export const issuedCredential = credentialRecord.extend({ secret: z.string() });

/** Body of POST …/credentials. */
export const newCredential = z.strictObject({
  name: name.nullable().default(null),
  scopes,
  expires_at: expiry.optional(),
});

/** Body of POST …/{credential_id}/rotate. */
export const credentialRotation = z.strictObject({
  overlap_seconds: z
    .int()
    .min(0)
    .max(7 * 24 * 3600)
    .default(0)
    .describe('How long the replaced secret stays valid.'),
});

export const ownCredentialPath = z.object({ project_id: projectId, credential_id: credentialId });

export const credentialsQuery = z.object(listParameters);
export const credentialList = z.object({
  items: z.array(credentialRecord).describe('Oldest first.'),
  pagination,
});
