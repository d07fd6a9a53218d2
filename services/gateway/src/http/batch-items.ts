import type { PublicRefusal } from '@inventory/contracts/refusal-codes';
import { issueText } from '@inventory/http/issue-text';
import { errorOf, statusOf } from '@inventory/http/refused';
import { requestIssues } from '@inventory/http/validate-input';
import type { Logger } from '@inventory/runtime/logger';
import type { z } from 'zod';
import { foreignInventory } from './own-inventory.ts';
import type { AdmittedRequest } from './public-response.ts';
import { toPublicRefused } from './to-refused.ts';

export type ReadItem<Item> =
  | { readonly result: 'valid'; readonly item: Item }
  | { readonly result: 'refused'; readonly refusal: PublicRefusal };

/** An item of a batch, or its refusal, with its fields named by their path in the body. */
export function readBatchItem<Item extends { readonly platform_id: string }>(
  schema: z.ZodType<Item>,
  value: unknown,
  index: number,
  { principal: { environment } }: AdmittedRequest,
): ReadItem<Item> {
  const read = schema.safeParse(value, { error: issueText });
  const found = read.success
    ? foreignInventory(environment, read.data.platform_id, { in: 'body', field: 'platform_id' })
    : requestIssues('body', read.error, value, schema);
  if (read.success && found.length === 0) return { result: 'valid', item: read.data };
  const issues = found.map(({ field, reason }) => ({
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
