import { z } from 'zod';
import { accountId, credentialId, projectId } from '../ids.ts';
import { time, wire } from '../wire.ts';

/** An account, a Project or a Credential changed: cached copies are stale. */
export const authorityChanged = wire({
  accountId,
  projectId: projectId.nullable(),
  credentialId: credentialId.nullable(),
  atMs: time,
  /** In older records: the first 52 bits of the digest of an issued secret. Neither written nor read. */
  newSecret: z
    .string()
    .regex(/^[0-9a-f]{13}$/)
    .optional(),
});
