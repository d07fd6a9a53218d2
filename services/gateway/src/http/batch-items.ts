import type { PublicRefusal } from '@inventory/contracts/refusal-codes';
import { issueText } from '@inventory/http/issue-text';
import { errorOf, statusOf } from '@inventory/http/refused';
import { requestIssues } from '@inventory/http/validate-input';
import type { Logger } from '@inventory/runtime/logger';
import type { z } from 'zod';
import type { AdmittedRequest } from './public-response.ts';
import { toPublicRefused } from './to-refused.ts';

export type ReadItem<Item> =
  | { readonly result: 'valid'; readonly item: Item }
  | { readonly result: 'refused'; readonly refusal: PublicRefusal };

/** An item of a batch, or its refusal, with its fields named by their path in the body. */
export function readBatchItem<Item>(
  schema: z.ZodType<Item>,
  value: unknown,
  index: number,
): ReadItem<Item> {
  const { data, error } = schema.safeParse(value, { error: issueText });
  if (error === undefined) return { result: 'valid', item: data };
  const issues = requestIssues('body', error, value, schema).map(({ field, reason }) => ({
    in: 'body' as const,
    field: ['items', index, field].filter((part) => part !== '').join('.'),
    reason,
  }));
  return { result: 'refused', refusal: { code: 'invalid_request', detail: { issues } } };
}

/** The result of an item that is refused alone. */
export function refusedItem(refusal: PublicRefusal) {
  const [status, error] = [statusOf(refusal), errorOf(refusal)];
  return { result: 'refused', success: false, status, error } as const;
}

/** Why an item was not done; a fault of ours is logged, as that of a whole request is. */
export function itemRefusal(
  error: unknown,
  { requestId }: AdmittedRequest,
  logger: Logger,
): PublicRefusal {
  const { refusal, cause } = toPublicRefused(error);
  if (statusOf(refusal) >= 500) {
    logger.warn({ err: cause, requestId }, `batch item failed: ${refusal.code}`);
  }
  return refusal;
}
