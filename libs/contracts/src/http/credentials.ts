import { z } from 'zod';
import { accountId, credentialId, projectId, serviceAccountId } from '../ids.ts';
import { grantedPermission } from '../vocabulary.ts';
import { strictWire, time, wire } from '../wire.ts';
import { pagination } from './meta.ts';
import { controlFree, listParameters, requestTimeMs } from './parameters.ts';
import { networkPolicy } from './tenancy.ts';

/** Most active Credentials of a Project with which its customer can issue another. */
export const credentialsMax = 100;
/** Most that were issued within 24 hours with which its customer can. */
export const credentialsPerDayMax = 200;
/** How long one that was revoked or has expired is kept. */
export const endedCredentialKeepDays = 90;

const name = z.string().min(1).max(200).regex(controlFree, 'must not contain control characters');

export const scopes = z
  .array(grantedPermission)
  .min(1)
  .max(grantedPermission.options.length)
  .overwrite((given) => [...new Set(given)]);

/** When a Credential ends. */
export const expiry = requestTimeMs.nullable().describe('In the future; null for never.');

const recordFields = {
  credentialId,
  projectId,
  accountId,
  serviceAccountId,
  name: z.string().nullable(),
  state: z.enum(['active', 'revoked']),
  /** Part of the secret that identifies the Credential of a leaked key. */
  publicId: z.string(),
  scopes: z.array(grantedPermission),
  expiresAtMs: time.nullable(),
  networkPolicy,
  replacedSecretValidUntilMs: time.nullable(),
  createdAtMs: time,
  changedAtMs: time,
  revokedAtMs: time.nullable(),
};

export const credentialRecord = wire(recordFields);
export type CredentialRecord = z.output<typeof credentialRecord>;

/** The only response with a secret. */
export const issuedCredential = wire({ ...recordFields, secret: z.string() });

/** The Credential of a secret that was found somewhere. */
export const foundCredential = wire({
  ...recordFields,
  secretValid: z
    .boolean()
    .describe('Whether it is the secret of the Credential now, or one in its overlap.'),
});

const spendCapMax = 1_000_000_000_000;
export const spendCap = z.int().min(0).max(spendCapMax).nullable();

/** Body of POST …/credentials. */
export const newCredential = strictWire({
  name: name.nullable().default(null),
  scopes,
  expiresAtMs: expiry.optional(),
  spendCap: spendCap
    .optional()
    .describe(
      'Most credits or units that are bought with it in a UTC month; null for no cap. At most that of ' +
        'this Credential, which it has when absent.',
    ),
});

/** Body of PUT …/{credential_id}/spend-cap. */
export const credentialSpendCap = strictWire({
  cap: spendCap.describe('Null for none. At most that of this Credential.'),
});

/** `data` of PUT …/{credential_id}/spend-cap. */
export const cappedCredential = wire({ credentialId, cap: spendCap });

/** Body of POST …/{credential_id}/rotate. */
export const credentialRotation = strictWire({
  overlapSeconds: z
    .int()
    .min(0)
    .max(7 * 24 * 3600)
    .default(0)
    .describe('How long the replaced secret stays valid.'),
});

export const ownCredentialPath = wire({ projectId, credentialId });

export const credentialsQuery = z.object(listParameters);
export const credentialList = z.object({
  items: z.array(credentialRecord).describe('Oldest first.'),
  pagination,
});
