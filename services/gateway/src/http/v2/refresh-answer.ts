import type { RequestId } from '@inventory/contracts/ids';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import { envelope } from '../envelope.ts';
import type { Answer } from '../route.ts';

/** The record, and when to look again; a terminal one needs no further look. */
export function refreshAnswer(
  status: Answer['status'],
  requestId: RequestId,
  view: RefreshView,
): Answer {
  const { record, retry_after_seconds: retryAfter } = view;
  return {
    status,
    headers: retryAfter === null ? {} : { 'Retry-After': String(retryAfter) },
    body: envelope(record, { request_id: requestId }),
  };
}
