import { z } from 'zod';
import { accountId, projectId, refreshId, requestId } from '../ids.ts';
import { language } from '../languages.ts';
import { defineMessage } from '../message.ts';
import { scope } from '../scope.ts';

/** Admit one refresh attempt. Every attempt has its own refresh_id, minted by the gateway. */
export const refreshRequested = defineMessage({
  type: 'refresh.request.v1',
  topic: 'refresh.commands.v1',
  key: (body) => body.refresh_id,
  body: z.object({
    refresh_id: refreshId,
    account_id: accountId,
    project_id: projectId,
    request_id: requestId,
    idempotency_key: z.string().nullable(),
    /** SHA-256 (hex) of path parameters and body after defaults. */
    fingerprint: z.string(),
    scope,
    language,
    max_credits: z.int(),
    requested_at: z.iso.datetime(),
  }),
});

/** Cancel a refresh; also sent for an attempt whose client was told `outcome: unknown`. */
export const refreshCancelRequested = defineMessage({
  type: 'refresh.cancel.v1',
  topic: 'refresh.commands.v1',
  key: (body) => body.refresh_id,
  body: z.object({
    refresh_id: refreshId,
    account_id: accountId,
    project_id: projectId,
    requested_at: z.iso.datetime(),
  }),
});
