import type { RefreshRecord, RefreshStatus } from '@inventory/contracts/http/refresh';
import type { RequestId } from '@inventory/contracts/ids';
import type { RefreshView } from '@inventory/contracts/internal/refresh';
import type { Answer } from '../http/answer.ts';
import { envelope } from '../http/envelope.ts';

/** Text of the header in the reference. */
export const retryAfterText = 'Seconds until the next look is worthwhile; absent once terminal.';

/** The record, and when to look again; a terminal one needs no further look. */
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
