import { Refused } from '@inventory/http/refused';

/** Events are not sent to the URL of the endpoint. */
export function invalidUrl(reason: string): Refused {
  const issue = { in: 'body', field: 'url', reason } as const;
  return new Refused({ code: 'invalid_request', detail: { issues: [issue] } });
}
