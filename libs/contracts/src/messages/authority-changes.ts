import { z } from 'zod';
import { accountId, credentialId, projectId } from '../ids.ts';

/** An account, a Project or a Credential changed: cached copies are stale. */
export const authorityChanged = z.object({
  account_id: accountId,
  project_id: projectId.nullable(),
  credential_id: credentialId.nullable(),
  at: z.iso.datetime(),
  /** In older records: the first 52 bits of the digest of an issued secret. Neither written nor read. */
  new_secret: z
    .string()
    .regex(/^[0-9a-f]{13}$/)
    .optional(),
});
