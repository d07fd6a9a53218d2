import type { RefreshRecord, RefreshStatus } from '@inventory/contracts/http/refresh';
import type { RequestId } from '@inventory/contracts/ids';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import type { Answer } from '../http/answer.ts';
import { envelope } from '../http/envelope.ts';

/** Text of the header in the reference. */
export const retryAfterText = 'Seconds after which to read the status again; absent once terminal.';

/** The record with `Retry-After`; without it when the refresh is terminal. */
export function refreshAnswer(
  status: Answer['status'],
  requestId: RequestId,
  { retry_after_seconds: retryAfter }: Pick<RefreshView, 'retry_after_seconds'>,
  data: RefreshRecord | RefreshStatus,
): Answer {
  return {
    status,
    headers: retryAfter === null ? {} : { 'Retry-After': String(retryAfter) },
    body: envelope(data, { request_id: requestId }),
  };
}
