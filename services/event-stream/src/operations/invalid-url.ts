import { Refused } from '@inventory/http/refused';

/** The URL of an endpoint leads nowhere that events are sent to. */
export function invalidUrl(reason: string): Refused {
  const issue = { in: 'body', field: 'url', reason } as const;
  return new Refused({ code: 'invalid_request', detail: { issues: [issue] } });
}
